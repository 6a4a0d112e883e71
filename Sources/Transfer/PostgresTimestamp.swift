/// The text of a `timestamptz` as PostgreSQL writes it in ISO style: `2023-11-14 09:12:33.123456+00`
/// (PostgreSQL manual, "Date/Time Output"), or with `T` and `Z` as in RFC 3339.
enum PostgresTimestamp {
  /// Milliseconds since the epoch; nil when the text is no time, or one before the epoch.
  static func milliseconds(_ text: String) -> UInt64? {
    var scanner = Scanner(Array(text.utf8))
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip(" ") || scanner.skip("T"), let hour = scanner.number(2),
      scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"), let second = scanner.number(2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let fraction = scanner.skip(".") ? scanner.fraction() : 0
    guard let fraction, let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return seconds < 0 ? nil : UInt64(seconds) * 1000 + UInt64(fraction)
  }

  /// Days since the epoch in the proleptic Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // The year begins in March, so that the leap day is its last.
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    private mutating func digit() -> Int? {
      guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
      defer { position += 1 }
      return Int(bytes[position]) - 0x30
    }

    mutating func number(_ digits: Int) -> Int? {
      var value = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    /// Digits after the point, as milliseconds cut down.
    mutating func fraction() -> Int? {
      var milliseconds = 0
      var count = 0
      while let digit = digit() {
        if count < 3 { milliseconds = milliseconds * 10 + digit }
        count += 1
      }
      guard count > 0 else { return nil }
      for _ in min(count, 3)..<3 { milliseconds *= 10 }
      return milliseconds
    }

    /// `+00`, `+05:30`, `-03:30:15`, `Z` or nothing, in seconds.
    mutating func offset() -> Int? {
      if isAtEnd || skip("Z") { return 0 }
      let isNegative = skip("-")
      guard isNegative || skip("+"), let hours = number(2) else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where skip(":") {
        guard let part = number(2) else { return nil }
        seconds += part * unit
      }
      return isNegative ? -seconds : seconds
    }
  }
}
