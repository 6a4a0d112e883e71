/// Why a text is no TOML 1.0.0, and where.
///
/// `message` quotes at most single characters and key names of the text, never a value, so it may be logged
/// even when the text holds secrets. `rendering(file:)` shows the whole source line.
public struct TOMLError: Error, Sendable, Equatable, CustomStringConvertible {
  public let position: TOMLPosition
  /// What was found and what was expected.
  public let message: String
  /// The line of the text that holds `position`, without its line end.
  public internal(set) var sourceLine: String = ""

  init(_ message: String, at position: TOMLPosition) {
    self.message = message
    self.position = position
  }

  public var line: Int { position.line }
  public var column: Int { position.column }

  public var description: String { "\(position): \(message)" }

  /// The message, and below it the source line with a caret under the place. Shows text of the file, so it
  /// may show a secret: for the person who wrote the file, not for a log.
  public func rendering(file: String? = nil) -> String {
    let place = file.map { "\($0):\(line):\(column)" } ?? "\(position)"
    // A window of the line, so that a minified file stays readable.
    let scalars = Array(sourceLine.unicodeScalars)
    let caret = min(column - 1, scalars.count)
    let start = max(0, caret - 60)
    let window = scalars[start..<min(scalars.count, start + 100)]
    var text = "\(place): \(message)\n"
    let gutter = "\(line) | "
    text += gutter
    // A control character would move the caret, or worse.
    text.unicodeScalars.append(contentsOf: window.map { isShown($0) ? $0 : "\u{FFFD}" })
    text += "\n" + String(repeating: " ", count: gutter.utf8.count - 2) + "| "
    // A tab is as wide above as below.
    for scalar in window.prefix(caret - start) { text += scalar == "\t" ? "\t" : " " }
    return text + "^"
  }

  private func isShown(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || scalar.properties.generalCategory != .control
  }

  /// The same error with its source line, cut out of `text`.
  func locating(in text: [UInt8]) -> TOMLError {
    var start = min(position.offset, text.count)
    var end = start
    while start > 0, text[start - 1] != ASCII.lineFeed { start -= 1 }
    while end < text.count, text[end] != ASCII.lineFeed { end += 1 }
    if end > start, text[end - 1] == ASCII.carriageReturn { end -= 1 }
    if start == 0, text.starts(with: ASCII.byteOrderMark) { start = min(3, end) }
    var error = self
    error.sourceLine = String(decoding: text[start..<end], as: UTF8.self)
    return error
  }
}

/// How a message names the first character of `bytes`, which are valid UTF-8.
func describeFirstCharacter(of bytes: ArraySlice<UInt8>) -> String {
  guard let byte = bytes.first else { return "the end of the text" }
  switch byte {
  case ASCII.lineFeed, ASCII.carriageReturn: return "the end of the line"
  case ASCII.space: return "a space"
  case ASCII.tab: return "a tab"
  default: break
  }
  let scalar = String(decoding: bytes.prefix(4), as: UTF8.self).unicodeScalars.first ?? " "
  switch scalar.properties.generalCategory {
  // What a terminal does not show, or shows as something else.
  case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
    .nonspacingMark, .enclosingMark:
    return codePoint(scalar.value)
  default: return "'\(scalar)'"
  }
}

/// `value` as Unicode writes it: `U+0000`.
func codePoint(_ value: UInt32) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
