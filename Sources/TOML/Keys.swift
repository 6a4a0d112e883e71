/// A key that equals another only when both have the same code points. `String` also equates canonically
/// equivalent spellings (U+00E9 and U+0065 U+0301), which are two keys in TOML.
struct ExactKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactKey, right: ExactKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// One part of a dotted key, as written in the text.
struct KeyPart {
  let key: ExactKey
  let position: TOMLPosition
}

/// A key as a message shows it: dotted, and quoted where it is not bare.
func describe(_ path: some Sequence<KeyPart>) -> String {
  path.map { part in
    let text = part.key.text
    if !text.isEmpty, text.utf8.allSatisfy({ ASCII.isBareKey($0) }) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar.properties.generalCategory == .control {
        quoted += scalar.escaped(asASCII: true)
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }.joined(separator: ".")
}

extension Cursor {
  /// Reads a key with all its dotted parts, and the blanks after it. `maximumParts` bounds the nesting.
  mutating func readKey(maximumParts: Int, depth: DepthLimit) throws(TOMLError) -> [KeyPart] {
    var parts: [KeyPart] = []
    repeat {
      skipBlanks()
      guard parts.count < maximumParts else { throw depth.exceeded(at: position) }
      parts.append(try readKeyPart())
      skipBlanks()
    } while skip(ASCII.dot)
    return parts
  }

  private mutating func readKeyPart() throws(TOMLError) -> KeyPart {
    let start = position
    switch peek {
    case ASCII.quote, ASCII.apostrophe:
      if let quote = peek, starts(with: quote, times: 3) {
        throw error("found a multi-line string, expected a key; quote a key with a single pair of quotes")
      }
      let text = try peek == ASCII.quote ? readBasicString() : readLiteralString()
      return KeyPart(key: ExactKey(text), position: start)
    case let byte where ASCII.isBareKey(byte):
      while ASCII.isBareKey(peek) { advance() }
      return KeyPart(
        key: ExactKey(String(decoding: bytes[start.offset..<offset], as: UTF8.self)), position: start)
    default:
      throw expected("a key (letters, digits, '_' and '-'; quote any other)")
    }
  }
}
