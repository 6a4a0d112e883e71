/// A calendar date (proleptic Gregorian), valid by construction: TOML's local date.
public struct TOMLDate: Sendable, Hashable, CustomStringConvertible {
  // Stored small: every value of a document has room for its largest case.
  private let storedYear: Int16
  private let storedMonth: UInt8
  private let storedDay: UInt8

  /// 0 to 9999.
  public var year: Int { Int(storedYear) }
  /// 1 to 12.
  public var month: Int { Int(storedMonth) }
  /// 1 to the month's last day.
  public var day: Int { Int(storedDay) }

  /// nil when there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month),
      day >= 1, day <= TOMLDate.days(inMonth: month, of: year)
    else { return nil }
    storedYear = Int16(year)
    storedMonth = UInt8(month)
    storedDay = UInt8(day)
  }

  /// Days of `month` (1 to 12), leap years included.
  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// `YYYY-MM-DD`.
  public var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

/// A time of day, valid by construction: TOML's local time.
public struct TOMLTime: Sendable, Hashable, CustomStringConvertible {
  private let storedHour: UInt8
  private let storedMinute: UInt8
  private let storedSecond: UInt8
  private let storedNanosecond: UInt32

  /// 0 to 23.
  public var hour: Int { Int(storedHour) }
  /// 0 to 59.
  public var minute: Int { Int(storedMinute) }
  /// 0 to 60: RFC 3339 section 5.7 allows the leap second.
  public var second: Int { Int(storedSecond) }
  /// 0 to 999,999,999.
  public var nanosecond: Int { Int(storedNanosecond) }

  /// nil when a part is out of range.
  public init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      (0...999_999_999).contains(nanosecond)
    else { return nil }
    storedHour = UInt8(hour)
    storedMinute = UInt8(minute)
    storedSecond = UInt8(second)
    storedNanosecond = UInt32(nanosecond)
  }

  /// `HH:MM:SS`, and the fraction in 3, 6 or 9 digits when there is one.
  public var description: String {
    let time = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    if nanosecond == 0 { return time }
    if nanosecond % 1_000_000 == 0 { return "\(time).\(padded(nanosecond / 1_000_000, 3))" }
    if nanosecond % 1_000 == 0 { return "\(time).\(padded(nanosecond / 1_000, 6))" }
    return "\(time).\(padded(nanosecond, 9))"
  }
}

/// A date and a time without a time zone: TOML's local date-time.
public struct TOMLLocalDateTime: Sendable, Hashable, CustomStringConvertible {
  public let date: TOMLDate
  public let time: TOMLTime

  public init(date: TOMLDate, time: TOMLTime) {
    self.date = date
    self.time = time
  }

  public var description: String { "\(date)T\(time)" }
}

/// A date and a time with its distance from UTC: TOML's offset date-time.
public struct TOMLOffsetDateTime: Sendable, Hashable, CustomStringConvertible {
  public let date: TOMLDate
  public let time: TOMLTime
  private let storedOffset: Int16

  /// Local time minus UTC, in minutes: -1439 to 1439.
  public var offsetMinutes: Int { Int(storedOffset) }

  /// nil for an offset of a day or more.
  public init?(date: TOMLDate, time: TOMLTime, offsetMinutes: Int) {
    guard abs(offsetMinutes) < 24 * 60 else { return nil }
    self.date = date
    self.time = time
    storedOffset = Int16(offsetMinutes)
  }

  public var description: String {
    guard offsetMinutes != 0 else { return "\(date)T\(time)Z" }
    let distance = abs(offsetMinutes)
    let sign = offsetMinutes < 0 ? "-" : "+"
    return "\(date)T\(time)\(sign)\(padded(distance / 60, 2)):\(padded(distance % 60, 2))"
  }
}

private func padded(_ value: Int, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
