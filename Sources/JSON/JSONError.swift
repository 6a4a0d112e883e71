/// Why and where a text is no JSON. Quotes nothing of the text, which may hold secrets.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// Something else stands here than `expected`.
    case unexpectedByte(expected: String)
    /// The text ends where `expected` should stand.
    case endOfText(expected: String)
    /// The text begins with a byte order mark (RFC 8259 section 8.1).
    case byteOrderMark
    /// Something follows the value.
    case trailingData
    /// More arrays and objects are open than the limit allows.
    case tooDeep(limit: Int)
    /// A character below U+0020 stands unescaped in a string.
    case controlCharacter
    /// A string's bytes are no UTF-8.
    case invalidUTF8
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
  }

  public var reason: Reason
  /// Bytes before the fault.
  public var offset: Int
  /// The fault's line, from 1.
  public var line: Int
  /// The fault's place in its line in bytes, from 1.
  public var column: Int

  init(_ reason: Reason, at offset: Int, in text: Span<UInt8>) {
    self.reason = reason
    self.offset = offset
    line = 1
    column = 1
    for index in 0..<min(offset, text.count) {
      if text[index] == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
  }

  public var description: String {
    "invalid JSON at line \(line), column \(column) (byte \(offset)): \(explanation)"
  }

  private var explanation: String {
    switch reason {
    case .unexpectedByte(let expected): "expected \(expected)"
    case .endOfText(let expected): "the text ends where \(expected) is expected"
    case .byteOrderMark: "begins with a byte order mark; save it as UTF-8 without one"
    case .trailingData: "expected nothing after the value"
    case .tooDeep(let limit): "more than \(limit) arrays and objects inside one another"
    case .controlCharacter: "a control character in a string must be escaped"
    case .invalidUTF8: "the string is not valid UTF-8"
    case .loneSurrogate: "expected both halves of a surrogate pair"
    }
  }
}
