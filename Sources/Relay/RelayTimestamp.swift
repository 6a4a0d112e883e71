import Bytes

/// What the relay's timestamp header says. Neither the specification nor the relay states a unit; Unix
/// seconds are what has been seen.
public enum RelayTimestamp: Equatable, Sendable {
  /// Seconds since the epoch.
  case seconds(UInt64)
  /// Milliseconds since the epoch.
  case milliseconds(UInt64)
  /// Not a decimal number, so that its age is unknown.
  case opaque

  /// Numbers from here on count milliseconds: as seconds they would lie beyond the year 5000, as
  /// milliseconds they begin in March 1973.
  private static let firstMilliseconds: UInt64 = 100_000_000_000

  /// Reads the text of the header.
  public init(_ text: String) {
    guard let number = ASCIIDecimal.parse(text.utf8) else {
      self = .opaque
      return
    }
    self = number < Self.firstMilliseconds ? .seconds(number) : .milliseconds(number)
  }

  /// Seconds by which the timestamp lies before `now` (seconds since the epoch); negative when it lies
  /// ahead, nil when unknown.
  public func age(at now: Int64) -> Int64? {
    switch self {
    case .seconds(let value): now - Int64(clamping: value)
    case .milliseconds(let value): now - Int64(clamping: value / 1000)
    case .opaque: nil
    }
  }
}
