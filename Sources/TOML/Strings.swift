extension Cursor {
  /// Reads any of the four string forms; a quote or an apostrophe is here.
  mutating func readString() throws(TOMLError) -> String {
    guard let quote = peek else { throw expected("a string") }
    switch (quote == ASCII.quote, starts(with: quote, times: 3)) {
    case (true, true): return try readMultilineBasicString()
    case (true, false): return try readBasicString()
    case (false, true): return try readMultilineLiteralString()
    case (false, false): return try readLiteralString()
    }
  }

  /// Reads `"..."`; the opening quote is here.
  mutating func readBasicString() throws(TOMLError) -> String {
    let start = position
    advance()
    // What was read before the latest escape; most strings have none.
    var content: [UInt8] = []
    while true {
      let run = offset
      skipText(until: ASCII.quote, or: ASCII.backslash, acrossLines: false)
      switch peek {
      case ASCII.quote:
        let end = offset
        advance()
        return text(content, run..<end)
      case ASCII.backslash:
        content += bytes[run..<offset]
        try readEscape(into: &content)
      default:
        throw unclosed("\"", from: start)
      }
    }
  }

  /// Reads `'...'`; the opening apostrophe is here.
  mutating func readLiteralString() throws(TOMLError) -> String {
    let start = position
    advance()
    let run = offset
    skipText(until: ASCII.apostrophe, or: ASCII.apostrophe, acrossLines: false)
    guard peek == ASCII.apostrophe else { throw unclosed("'", from: start) }
    let end = offset
    advance()
    return text([], run..<end)
  }

  private func text(_ content: [UInt8], _ run: Range<Int>) -> String {
    content.isEmpty ? text(run) : String(decoding: content + bytes[run], as: UTF8.self)
  }

  /// Reads `"""..."""`; the opening quotes are here.
  private mutating func readMultilineBasicString() throws(TOMLError) -> String {
    let start = position
    advance(by: 3)
    _ = skipNewline()
    var content: [UInt8] = []
    while true {
      let run = offset
      skipText(until: ASCII.quote, or: ASCII.backslash, acrossLines: true)
      content += bytes[run..<offset]
      switch peek {
      case ASCII.quote:
        if closes(ASCII.quote, into: &content) { return String(decoding: content, as: UTF8.self) }
      case ASCII.backslash:
        if !skipLineContinuation() { try readEscape(into: &content) }
      default:
        throw unclosed("\"\"\"", from: start)
      }
    }
  }

  /// Reads `'''...'''`; the opening apostrophes are here.
  private mutating func readMultilineLiteralString() throws(TOMLError) -> String {
    let start = position
    advance(by: 3)
    _ = skipNewline()
    var content: [UInt8] = []
    while true {
      let run = offset
      skipText(until: ASCII.apostrophe, or: ASCII.apostrophe, acrossLines: true)
      content += bytes[run..<offset]
      guard !isAtEnd else { throw unclosed("'''", from: start) }
      if closes(ASCII.apostrophe, into: &content) { return String(decoding: content, as: UTF8.self) }
    }
  }

  /// Steps over a run of `quote`. One or two are content; three close, and up to two before the closing three
  /// are content as well. A sixth is left for the caller to stumble over.
  private mutating func closes(_ quote: UInt8, into content: inout [UInt8]) -> Bool {
    var count = 0
    while count < 5, skip(quote) { count += 1 }
    let closes = count >= 3
    for _ in 0..<(closes ? count - 3 : count) { content.append(quote) }
    return closes
  }

  /// Steps over a backslash that ends its line, with all white space and line ends up to the next character;
  /// false, and nothing read, when it is an escape.
  private mutating func skipLineContinuation() -> Bool {
    var ahead = self
    ahead.advance()
    ahead.skipBlanks()
    guard ahead.skipNewline() else { return false }
    repeat { ahead.skipBlanks() } while ahead.skipNewline()
    self = ahead
    return true
  }

  /// Reads an escape of TOML 1.0.0; a backslash is here.
  private mutating func readEscape(into content: inout [UInt8]) throws(TOMLError) {
    let start = position
    advance()
    let letter = peek
    let byte: UInt8
    switch letter {
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "t"): byte = ASCII.tab
    case UInt8(ascii: "n"): byte = ASCII.lineFeed
    case UInt8(ascii: "f"): byte = 0x0C
    case UInt8(ascii: "r"): byte = ASCII.carriageReturn
    case ASCII.quote: byte = ASCII.quote
    case ASCII.backslash: byte = ASCII.backslash
    case UInt8(ascii: "u"):
      advance()
      return try readCodePoint(digits: 4, start: start, into: &content)
    case UInt8(ascii: "U"):
      advance()
      return try readCodePoint(digits: 8, start: start, into: &content)
    default:
      throw TOMLError(
        "found \(found) after a backslash, expected one of b t n f r \" \\ uXXXX UXXXXXXXX; "
          + "for a backslash write \\\\, or use a '...' string",
        at: start)
    }
    content.append(byte)
    advance()
  }

  private mutating func readCodePoint(
    digits: Int, start: TOMLPosition, into content: inout [UInt8]
  ) throws(TOMLError) {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = peek.flatMap(Numbers.hexDigit) else {
        throw expected("\(digits) hexadecimal digits in the escape")
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw TOMLError(
        "found the escape of \(codePoint(value)), which is no Unicode scalar value "
          + "(U+0000 to U+D7FF, U+E000 to U+10FFFF)",
        at: start)
    }
    content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private func unclosed(_ quote: String, from start: TOMLPosition) -> TOMLError {
    TOMLError("found \(found), expected the closing \(quote) of the string begun here", at: start)
  }
}
