import Bytes

/// A JSON number as it was written, so that no digit is lost before the reader says what it wants.
public struct JSONNumber: Hashable, Sendable {
  /// The number's text, valid by the grammar of RFC 8259 section 6.
  public let literal: String

  init(validLiteral literal: String) {
    self.literal = literal
  }

  public init(_ value: Int64) {
    literal = String(value)
  }

  public init(_ value: UInt64) {
    literal = String(value)
  }

  /// The number if it is written as plain digits and fits: `1.0`, `1e3` and `-0` are none.
  public var uint64: UInt64? { ASCIIDecimal.parse(literal.utf8) }

  /// The number if it is written as plain digits and fits: `1.0`, `1e3` and `-0` are none.
  public var uint32: UInt32? { uint64.flatMap(UInt32.init(exactly:)) }

  /// The number if it is written as plain digits, with `-` in front or not, and fits.
  public var int64: Int64? { Int64(literal) }

  /// The nearest number in double precision; nil when it is too large for one.
  public var double: Double? {
    guard let value = Double(literal), value.isFinite else { return nil }
    return value
  }
}
