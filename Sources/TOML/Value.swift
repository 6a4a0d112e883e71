/// A value of a TOML document and where it stands.
public struct TOMLValue: Sendable {
  public enum Content: Sendable {
    case string(String)
    case integer(Int64)
    /// IEEE 754 binary64; a literal too large for it is infinite, as that standard rounds.
    case float(Double)
    case boolean(Bool)
    case offsetDateTime(TOMLOffsetDateTime)
    case localDateTime(TOMLLocalDateTime)
    case localDate(TOMLDate)
    case localTime(TOMLTime)
    /// Static arrays and arrays of tables alike.
    case array([TOMLValue])
    /// Tables, inline tables, and tables that dotted keys or headers imply.
    case table(TOMLTable)
  }

  public let content: Content
  /// Where the value starts; for a table with a header the header, for an implied one its key.
  public let position: TOMLPosition

  public init(_ content: Content, at position: TOMLPosition) {
    self.content = content
    self.position = position
  }

  /// The string, nil for another type.
  public var string: String? { if case .string(let value) = content { value } else { nil } }
  /// The integer, nil for another type.
  public var integer: Int64? { if case .integer(let value) = content { value } else { nil } }
  /// The float, nil for another type (an integer is none).
  public var float: Double? { if case .float(let value) = content { value } else { nil } }
  /// The boolean, nil for another type.
  public var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
  /// The elements, nil for another type.
  public var array: [TOMLValue]? { if case .array(let value) = content { value } else { nil } }
  /// The table, nil for another type.
  public var table: TOMLTable? { if case .table(let value) = content { value } else { nil } }

  /// The type's name in TOML 1.0.0, for messages.
  public var typeName: String {
    switch content {
    case .string: "string"
    case .integer: "integer"
    case .float: "float"
    case .boolean: "boolean"
    case .offsetDateTime: "offset date-time"
    case .localDateTime: "local date-time"
    case .localDate: "local date"
    case .localTime: "local time"
    case .array: "array"
    case .table: "table"
    }
  }
}

/// The key/value pairs of a table, in the order of the document.
public struct TOMLTable: Sendable {
  public struct Entry: Sendable {
    public let key: String
    /// Where the key stands: of a dotted key, the part that names this entry.
    public let keyPosition: TOMLPosition
    public internal(set) var value: TOMLValue
  }

  public let entries: [Entry]
  private let index: KeyIndex

  init(entries: [Entry], index: KeyIndex) {
    self.entries = entries
    self.index = index
  }

  /// The entry of `key`, nil when there is none. Keys are compared by their Unicode scalar values.
  public func entry(_ key: String) -> Entry? {
    index.find(ExactKey(key), in: entries).map { entries[$0] }
  }

  /// The value of `key`, nil when there is none.
  public subscript(key: String) -> TOMLValue? { entry(key)?.value }
}
