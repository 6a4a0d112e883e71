/// A field's value in a log record.
public enum LogValue: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case string(String)
  case integer(Int64)
  case bool(Bool)
  /// A client ID; a record has its pseudonym.
  case clientID(String)

  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// An integer of any width, clamped to 64 bits.
  public static func number(_ value: some FixedWidthInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// Whole milliseconds.
  public static func milliseconds(_ duration: Duration) -> LogValue {
    let (seconds, attoseconds) = duration.components
    return .integer(seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000)
  }
}
