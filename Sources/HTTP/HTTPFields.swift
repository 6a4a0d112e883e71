import Bytes

/// One header field. The name is always lower case, so that names compare as they are; the value is
/// free of surrounding white space when it came from a peer.
public struct HTTPField: Sendable, Hashable {
  public let name: String
  public var value: String

  /// A field; upper-case ASCII letters in `name` are lowered (RFC 9110, section 5.1: names are
  /// case-insensitive; RFC 9113, section 8.2.1: lower case on the wire).
  public init(_ name: String, _ value: String) {
    let isLower = name.allUTF8Bytes { $0 < 0x41 || $0 > 0x5A }
    self.name = isLower ? name : name.lowercased()
    self.value = value
  }

  /// A field whose name is known to be lower case.
  init(lowerCaseName name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// Header fields in the order in which they came or were added; a name may occur more than once.
public struct HTTPFields: Sendable, Hashable {
  private var list: [HTTPField]

  public init() {
    list = []
  }

  public init(_ fields: [HTTPField]) {
    list = fields
  }

  public var count: Int { list.count }
  public var isEmpty: Bool { list.isEmpty }

  /// The value of the first field called `name`, which must be in lower case.
  public func first(_ name: String) -> String? {
    for field in list where field.name == name {
      return field.value
    }
    return nil
  }

  /// The values of all fields called `name` (lower case), in order.
  public func all(_ name: String) -> [String] {
    list.compactMap { $0.name == name ? $0.value : nil }
  }

  /// Whether a field called `name` (lower case) is there.
  public func contains(_ name: String) -> Bool {
    list.contains { $0.name == name }
  }

  public mutating func add(_ name: String, _ value: String) {
    list.append(HTTPField(name, value))
  }

  public mutating func add(_ field: HTTPField) {
    list.append(field)
  }

  /// Replaces all fields called `name` by one.
  public mutating func set(_ name: String, _ value: String) {
    let field = HTTPField(name, value)
    remove(field.name)
    list.append(field)
  }

  /// Removes all fields called `name` (lower case).
  public mutating func remove(_ name: String) {
    list.removeAll { $0.name == name }
  }

  public mutating func removeAll(keepingCapacity: Bool = false) {
    list.removeAll(keepingCapacity: keepingCapacity)
  }

  public mutating func reserveCapacity(_ count: Int) {
    list.reserveCapacity(count)
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { list.startIndex }
  public var endIndex: Int { list.endIndex }
  public subscript(position: Int) -> HTTPField { list[position] }
}

extension HTTPFields: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: HTTPField...) {
    self.init(elements)
  }
}
