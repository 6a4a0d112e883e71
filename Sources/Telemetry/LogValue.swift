/// A field's value in a log record.
public enum LogValue: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case string(String)
  case integer(Int64)
  case bool(Bool)

  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// An integer of any width, clamped to 64 bits.
  public static func number(_ value: some FixedWidthInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// A client ID, shortened.
  public static func clientID(_ id: String) -> LogValue { .string(Redaction.shortClientID(id)) }

  /// A device token, as the beginning of its keyed hash.
  public static func tokenHash(_ hash: [UInt8]) -> LogValue { .string(Redaction.shortHash(hash)) }

  /// Whole milliseconds.
  public static func milliseconds(_ duration: Duration) -> LogValue {
    let (seconds, attoseconds) = duration.components
    return .integer(seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000)
  }
}
