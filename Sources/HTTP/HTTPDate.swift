import Bytes
import Glibc

/// The `date` field value (IMF-fixdate, RFC 9110, section 5.6.7), made once a second. Loop-owned.
public final class HTTPDate {
  private var second = Int.min
  private var bytes: [UInt8] = []

  /// The current wall-clock time.
  var current: [UInt8] {
    let now = time(nil)
    if now != second {
      second = now
      bytes = Self.format(secondsSinceEpoch: now)
    }
    return bytes
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` for a time after the epoch.
  public static func text(secondsSinceEpoch seconds: UInt64) -> String {
    String(decoding: format(secondsSinceEpoch: Int(clamping: seconds)), as: UTF8.self)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` for a time from 1970 on.
  static func format(secondsSinceEpoch: Int) -> [UInt8] {
    let days = max(secondsSinceEpoch, 0) / 86_400
    let clock = max(secondsSinceEpoch, 0) % 86_400
    let (year, month, day) = civilDate(daysSinceEpoch: days)
    var out: [UInt8] = []
    out.reserveCapacity(29)
    // 1970-01-01 was a Thursday.
    appendName("SunMonTueWedThuFriSat", (days + 4) % 7, to: &out)
    out.append(contentsOf: ", ".utf8)
    appendTwoDigits(day, to: &out)
    out.append(0x20)
    appendName("JanFebMarAprMayJunJulAugSepOctNovDec", month - 1, to: &out)
    out.append(0x20)
    appendTwoDigits(year / 100, to: &out)
    appendTwoDigits(year % 100, to: &out)
    out.append(0x20)
    appendTwoDigits(clock / 3600, to: &out)
    out.append(0x3A)
    appendTwoDigits(clock / 60 % 60, to: &out)
    out.append(0x3A)
    appendTwoDigits(clock % 60, to: &out)
    out.append(contentsOf: " GMT".utf8)
    return out
  }

  /// Days counted in 400-year eras whose years begin in March, so that the leap day comes last.
  private static func civilDate(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSinceEpoch + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func appendName(_ names: StaticString, _ index: Int, to out: inout [UInt8]) {
    names.withUTF8Buffer { out.append(contentsOf: $0[(index * 3)..<(index * 3 + 3)]) }
  }

  private static func appendTwoDigits(_ value: Int, to out: inout [UInt8]) {
    out.append(UInt8(truncatingIfNeeded: 0x30 + value / 10 % 10))
    out.append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
  }
}
