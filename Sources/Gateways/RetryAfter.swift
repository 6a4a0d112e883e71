import Bytes

/// The `Retry-After` header field (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// Longest wait believed, in seconds.
  static let maximum: UInt64 = 86_400

  /// How many seconds to wait at `now` (seconds since the epoch); nil when there is no such field or it makes
  /// no sense. White space around it is the header parser's to remove. A date that has passed gives 0.
  static func seconds(_ value: String?, now: UInt64) -> UInt64? {
    guard let value else { return nil }
    if let seconds = ASCIIDecimal.parse(value.utf8) { return min(seconds, maximum) }
    guard let date = seconds(ofDate: value) else { return nil }
    return date > now ? min(date - now, maximum) : 0
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since the epoch of an IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section
  /// 5.6.7). The two obsolete forms are not taken: neither gateway sends them.
  static func seconds(ofDate text: String) -> UInt64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
      let day = ASCIIDecimal.parse(parts[1].utf8), (1...31).contains(day),
      let month = months.firstIndex(of: String(parts[2])),
      let year = ASCIIDecimal.parse(parts[3].utf8), (1970...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).map {
      ASCIIDecimal.parse($0.utf8)
    }
    guard clock.count == 3, let hour = clock[0], hour < 24, let minute = clock[1], minute < 60,
      let second = clock[2], second <= 60
    else { return nil }
    return days(year: year, month: UInt64(month) + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// Days since 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that the leap
  /// day comes last.
  private static func days(year: UInt64, month: UInt64, day: UInt64) -> UInt64 {
    let shiftedYear = month > 2 ? year : year - 1
    let shiftedMonth = month > 2 ? month - 3 : month + 9
    let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    return shiftedYear * 365 + leapDays + dayOfYear - 719_468
  }
}
