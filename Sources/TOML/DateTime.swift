/// A calendar date (proleptic Gregorian), valid by construction: TOML's local date.
public struct TOMLDate: Sendable, Hashable, CustomStringConvertible {
  /// 0 to 9999.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to the month's last day.
  public let day: Int

  /// nil when there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month),
      day >= 1, day <= TOMLDate.days(inMonth: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
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
  /// 0 to 23.
  public let hour: Int
  /// 0 to 59.
  public let minute: Int
  /// 0 to 60: RFC 3339 section 5.7 allows the leap second.
  public let second: Int
  /// 0 to 999,999,999.
  public let nanosecond: Int

  /// nil when a part is out of range.
  public init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      (0...999_999_999).contains(nanosecond)
    else { return nil }
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
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
  /// Local time minus UTC, in minutes: -1439 to 1439.
  public let offsetMinutes: Int

  /// nil for an offset of a day or more.
  public init?(date: TOMLDate, time: TOMLTime, offsetMinutes: Int) {
    guard abs(offsetMinutes) < 24 * 60 else { return nil }
    self.date = date
    self.time = time
    self.offsetMinutes = offsetMinutes
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
