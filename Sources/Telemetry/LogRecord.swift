import Bytes

/// Builds one log line.
struct LogRecord {
  /// Bytes of a message or value that are written at most: a line should fit in what a pipe takes at once.
  static let maximumValueLength = 1024

  private let format: LogFormat
  private let pseudonyms: Pseudonyms
  private var bytes: [UInt8] = []

  init(format: LogFormat, pseudonyms: Pseudonyms) {
    self.format = format
    self.pseudonyms = pseudonyms
    bytes.reserveCapacity(256)
  }

  mutating func begin(milliseconds: Int64, level: LogLevel, message: String) {
    switch format {
    case .text:
      RFC3339.append(milliseconds: milliseconds, to: &bytes)
      append(" \(level.name) ")
      appendEscaped(message, quoted: false)
    case .json:
      append("{\"time\":\"")
      RFC3339.append(milliseconds: milliseconds, to: &bytes)
      append("\",\"level\":\"\(level.name)\",\"message\":\"")
      appendEscaped(message, quoted: true)
      append("\"")
    }
  }

  mutating func field(_ key: String, _ value: LogValue) {
    switch format {
    case .text:
      append(" \(key)=")
    case .json:
      append(",\"")
      appendEscaped(key, quoted: true)
      append("\":")
    }
    switch value {
    case .integer(let number): append(String(number))
    case .bool(let bool): append(bool ? "true" : "false")
    case .clientID(let id): field(text: pseudonyms.pseudonym(ofClientID: id))
    case .string(let text): field(text: text)
    }
  }

  private mutating func field(text: String) {
    if format == .text, Self.isPlain(text) {
      append(text)
    } else {
      append("\"")
      appendEscaped(text, quoted: true)
      append("\"")
    }
  }

  /// The whole line.
  mutating func end() -> [UInt8] {
    append(format == .text ? "\n" : "}\n")
    return bytes
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Whether `text` can stand unquoted: visible ASCII that nobody takes for a quote or another field.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumValueLength
      && text.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
          && $0 != UInt8(ascii: "=")
      }
  }

  /// Appends `text`, cut to the maximum, in a form that is valid inside a JSON string: what could end the
  /// line, steer a terminal or turn the direction of writing becomes `\n`, `\u001b` and the like.
  private mutating func appendEscaped(_ text: String, quoted: Bool) {
    let limit = bytes.count + Self.maximumValueLength
    for scalar in text.unicodeScalars {
      guard bytes.count < limit else {
        append("…")
        return
      }
      switch scalar.value {
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0x22 where quoted: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
        append("\\u")
        append(
          Hex.encode([UInt8(truncatingIfNeeded: scalar.value >> 8), UInt8(truncatingIfNeeded: scalar.value)]))
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
