import TOML

/// A value once its type is right. Durations count in the unit of their key, sizes in bytes.
enum RawValue: Equatable {
  case text(String)
  case boolean(Bool)
  case integer(Int64)
  case list([String])
}

/// Which values a key takes.
enum KeyType {
  case text
  /// A file or folder; one in the file is relative to the file's folder.
  case path
  case boolean
  case integer(ClosedRange<Int64>)
  /// An integer in `unit`, or a text such as `25s`.
  case duration(DurationUnit, ClosedRange<Int64>)
  /// An integer in bytes, or a text such as `64KiB`.
  case size(ClosedRange<Int64>)
  case choice([String])
  /// An array of texts, or one text.
  case list

  enum DurationUnit: Int64 {
    case milliseconds = 1
    case seconds = 1_000

    var name: String { self == .milliseconds ? "milliseconds" : "seconds" }
  }

  struct Mismatch: Error {
    /// Quotes the value where that helps, and never a text that may be secret.
    let message: String
  }

  /// The value that `value` of a file gives.
  func decode(_ value: TOMLValue) throws(Mismatch) -> RawValue {
    switch (self, value.content) {
    case (.boolean, .boolean(let boolean)): return .boolean(boolean)
    case (.integer, .integer(let number)), (.duration, .integer(let number)), (.size, .integer(let number)):
      return .integer(try check(number, found: "\(number)"))
    case (.text, .string(let text)), (.path, .string(let text)), (.choice, .string(let text)),
      (.duration, .string(let text)), (.size, .string(let text)), (.list, .string(let text)):
      return try decode(text)
    case (.list, .array(let elements)):
      var list: [String] = []
      for element in elements {
        guard let text = element.string else { throw mismatch("an element of type \(element.typeName)") }
        list.append(text)
      }
      return .list(list)
    default:
      throw mismatch("type \(value.typeName)")
    }
  }

  /// The value that `text` of an environment variable gives; a list is separated by commas.
  func decodeEnvironment(_ text: String) throws(Mismatch) -> RawValue {
    switch self {
    case .boolean:
      switch text.lowercased() {
      case "true", "1", "yes", "on": return .boolean(true)
      case "false", "0", "no", "off": return .boolean(false)
      default: throw mismatch(KeyType.quoted(text))
      }
    case .integer, .duration, .size:
      if let number = Int64(text) { return .integer(try check(number, found: text)) }
      return try decode(text)
    case .list:
      return .list(text.split(separator: ",").map { String($0.trimmingPrefix(" ")).trimmingSuffix(" ") })
    case .text, .path, .choice:
      return try decode(text)
    }
  }

  private func decode(_ text: String) throws(Mismatch) -> RawValue {
    switch self {
    case .text: return .text(text)
    case .path:
      guard !text.isEmpty, !text.utf8.contains(0) else { throw mismatch("an empty text") }
      return .text(text)
    case .list: return .list([text])
    case .choice(let choices):
      guard choices.contains(text) else { throw mismatch(KeyType.quoted(text)) }
      return .text(text)
    case .duration(let unit, _):
      guard let milliseconds = Quantity.milliseconds(of: text), milliseconds % unit.rawValue == 0 else {
        throw mismatch(KeyType.quoted(text))
      }
      return .integer(try check(milliseconds / unit.rawValue, found: KeyType.quoted(text)))
    case .size:
      guard let bytes = Quantity.bytes(of: text) else { throw mismatch(KeyType.quoted(text)) }
      return .integer(try check(bytes, found: KeyType.quoted(text)))
    case .boolean, .integer:
      throw mismatch(KeyType.quoted(text))
    }
  }

  private func check(_ number: Int64, found: String) throws(Mismatch) -> Int64 {
    switch self {
    case .integer(let range), .duration(_, let range), .size(let range):
      guard range.contains(number) else { throw mismatch(found) }
      return number
    default: throw mismatch(found)
    }
  }

  private func mismatch(_ found: String) -> Mismatch {
    Mismatch(message: "found \(found), expected \(expectation)")
  }

  /// How a message shows `text`, which is no secret.
  static func quoted(_ text: String) -> String {
    text.utf8.count <= 40 ? "\"\(printable(text))\"" : "another text"
  }

  /// `text` with what would break a line or a terminal escaped.
  static func printable(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  /// What the key takes, for messages.
  private var expectation: String {
    switch self {
    case .text: "a string"
    case .path: "a path"
    case .boolean: "true or false"
    case .integer(let range): "an integer \(KeyType.describe(range))"
    case .duration(let unit, let range):
      "\(unit.name) \(KeyType.describe(range)), or a string such as \"25s\""
    case .size(let range): "bytes \(KeyType.describe(range)), or a string such as \"64KiB\""
    case .choice(let choices): choices.map { "\"\($0)\"" }.joined(separator: " or ")
    case .list: "an array of strings"
    }
  }

  private static func describe(_ range: ClosedRange<Int64>) -> String {
    "from \(range.lowerBound) to \(range.upperBound)"
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}
