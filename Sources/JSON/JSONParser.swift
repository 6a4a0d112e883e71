/// Recursive descent over one text. The span is handed down instead of stored, so that every access is
/// bounds-checked and nothing outlives the call.
struct JSONParser {
  /// Bytes of the text already read.
  var offset = 0
  private var depth = 0
  private let maximumDepth: Int

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  mutating func parseText(_ text: Span<UInt8>) throws(JSONError) -> JSONValue {
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      throw JSONError(.byteOrderMark, at: 0, in: text)
    }
    skipWhiteSpace(text)
    let value = try parseValue(text)
    skipWhiteSpace(text)
    guard offset == text.count else { throw JSONError(.trailingData, at: offset, in: text) }
    return value
  }

  /// Parses the value that begins at `offset`.
  private mutating func parseValue(_ text: Span<UInt8>) throws(JSONError) -> JSONValue {
    guard offset < text.count else { throw failure("a value", text) }
    switch text[offset] {
    case UInt8(ascii: "\""):
      return .string(try parseString(text))
    case UInt8(ascii: "{"):
      return .object(try parseObject(text))
    case UInt8(ascii: "["):
      return .array(try parseArray(text))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(try parseNumber(text))
    case UInt8(ascii: "t"):
      try parseWord("true", text)
      return .bool(true)
    case UInt8(ascii: "f"):
      try parseWord("false", text)
      return .bool(false)
    case UInt8(ascii: "n"):
      try parseWord("null", text)
      return .null
    default:
      throw failure("a value", text)
    }
  }

  private mutating func parseObject(_ text: Span<UInt8>) throws(JSONError) -> JSONObject {
    try enter(text)
    var members: [JSONObject.Member] = []
    if !skip(UInt8(ascii: "}"), text) {
      repeat {
        skipWhiteSpace(text)
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else {
          throw failure(members.isEmpty ? "a name in quotes or '}'" : "a name in quotes", text)
        }
        let key = try parseString(text)
        skipWhiteSpace(text)
        guard skip(UInt8(ascii: ":"), text) else { throw failure("':'", text) }
        skipWhiteSpace(text)
        members.append(JSONObject.Member(key: key, value: try parseValue(text)))
        skipWhiteSpace(text)
      } while skip(UInt8(ascii: ","), text)
      guard skip(UInt8(ascii: "}"), text) else { throw failure("',' or '}'", text) }
    }
    depth -= 1
    return JSONObject(members)
  }

  private mutating func parseArray(_ text: Span<UInt8>) throws(JSONError) -> [JSONValue] {
    try enter(text)
    var elements: [JSONValue] = []
    if !skip(UInt8(ascii: "]"), text) {
      repeat {
        skipWhiteSpace(text)
        elements.append(try parseValue(text))
        skipWhiteSpace(text)
      } while skip(UInt8(ascii: ","), text)
      guard skip(UInt8(ascii: "]"), text) else { throw failure("',' or ']'", text) }
    }
    depth -= 1
    return elements
  }

  /// Steps over an opening bracket and the white space behind it.
  private mutating func enter(_ text: Span<UInt8>) throws(JSONError) {
    guard depth < maximumDepth else { throw JSONError(.tooDeep(limit: maximumDepth), at: offset, in: text) }
    depth += 1
    offset += 1
    skipWhiteSpace(text)
  }

  private mutating func parseWord(_ word: StaticString, _ text: Span<UInt8>) throws(JSONError) {
    let count = word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { letters in
      guard text.count - offset >= count else { return false }
      for index in 0..<count where text[offset + index] != letters[index] { return false }
      return true
    }
    guard matches else {
      throw JSONError(.unexpectedByte(expected: "\"\(word)\" or another value"), at: offset, in: text)
    }
    offset += count
  }

  /// RFC 8259 section 6: `-`? (`0` | [1-9] digits) (`.` digits)? (`e` sign? digits)?
  private mutating func parseNumber(_ text: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let start = offset
    _ = skip(UInt8(ascii: "-"), text)
    if !skip(UInt8(ascii: "0"), text) {
      try skipDigits(text)
    }
    if skip(UInt8(ascii: "."), text) {
      try skipDigits(text)
    }
    if skip(UInt8(ascii: "e"), text) || skip(UInt8(ascii: "E"), text) {
      if !skip(UInt8(ascii: "+"), text) { _ = skip(UInt8(ascii: "-"), text) }
      try skipDigits(text)
    }
    let literal = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    return JSONNumber(validLiteral: literal)
  }

  /// Steps over one digit or more.
  private mutating func skipDigits(_ text: Span<UInt8>) throws(JSONError) {
    let start = offset
    while offset < text.count, text[offset] &- 0x30 < 10 { offset += 1 }
    guard offset > start else { throw failure("a digit", text) }
  }

  private mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard offset < text.count, text[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  /// The error for a text in which `expected` should stand at `offset`.
  func failure(_ expected: String, _ text: Span<UInt8>) -> JSONError {
    let reason: JSONError.Reason =
      offset < text.count ? .unexpectedByte(expected: expected) : .endOfText(expected: expected)
    return JSONError(reason, at: offset, in: text)
  }
}
