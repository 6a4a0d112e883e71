/// A JSON value.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The member `key` when this is an object that has one; the last of several.
  public subscript(key: String) -> JSONValue? { objectValue?[key] }

  /// The element at `index` when this is an array that reaches so far.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  public var isNull: Bool { self == .null }

  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  public var numberValue: JSONNumber? {
    guard case .number(let value) = self else { return nil }
    return value
  }

  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  public var arrayValue: [JSONValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  public var objectValue: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// An integer written as plain digits that fits; see `JSONNumber.uint32`.
  public var uint32Value: UInt32? { numberValue?.uint32 }
  /// An integer written as plain digits that fits; see `JSONNumber.uint64`.
  public var uint64Value: UInt64? { numberValue?.uint64 }
  /// An integer written as plain digits, with a sign or not, that fits; see `JSONNumber.int64`.
  public var int64Value: Int64? { numberValue?.int64 }
  /// The nearest number in double precision; see `JSONNumber.double`.
  public var doubleValue: Double? { numberValue?.double }
}

/// A JSON object: its members in the text's order, duplicates kept.
public struct JSONObject: Hashable, Sendable {
  /// One name and its value.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  public var members: [Member]

  public init(_ members: [Member] = []) {
    self.members = members
  }

  /// The value of the last member named `key`, byte for byte: `String`'s own equality would let a
  /// canonically equivalent name pass for another.
  public subscript(key: String) -> JSONValue? {
    members.last { $0.key.utf8.count == key.utf8.count && $0.key.utf8.elementsEqual(key.utf8) }?.value
  }
}
