extension Cursor {
  /// Whether a date starts here; nothing else in TOML starts with four digits and a hyphen.
  var isAtDate: Bool {
    peek(4) == ASCII.minus && ASCII.isDigit(peek) && ASCII.isDigit(peek(1)) && ASCII.isDigit(peek(2))
      && ASCII.isDigit(peek(3))
  }

  /// Whether a time starts here; nothing else in TOML starts with two digits and a colon.
  var isAtTime: Bool { peek(2) == ASCII.colon && ASCII.isDigit(peek) && ASCII.isDigit(peek(1)) }

  /// Reads a date, or a date and a time with or without an offset (RFC 3339 section 5.6).
  mutating func readDateTime() throws(TOMLError) -> TOMLValue.Content {
    let date = try readDate()
    let separator = peek
    let isLetter = separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t")
    // A space only separates when a time follows; otherwise it ends the value.
    guard isLetter || (separator == ASCII.space && ASCII.isDigit(peek(1))) else { return .localDate(date) }
    advance()
    let time = try readTime()
    if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) {
      return try offsetDateTime(date, time, minutes: 0)
    }
    guard peek == ASCII.plus || peek == ASCII.minus else {
      return .localDateTime(TOMLLocalDateTime(date: date, time: time))
    }
    let sign = peek == ASCII.minus ? -1 : 1
    advance()
    let hours = try readNumber("offset hours", digits: 2, in: 0...23)
    try expect(ASCII.colon, "':' between the hours and minutes of the offset")
    let minutes = try readNumber("offset minutes", digits: 2, in: 0...59)
    return try offsetDateTime(date, time, minutes: sign * (hours * 60 + minutes))
  }

  private func offsetDateTime(
    _ date: TOMLDate, _ time: TOMLTime, minutes: Int
  ) throws(TOMLError) -> TOMLValue.Content {
    guard let value = TOMLOffsetDateTime(date: date, time: time, offsetMinutes: minutes) else {
      throw error("the offset is a day or more")
    }
    return .offsetDateTime(value)
  }

  private mutating func readDate() throws(TOMLError) -> TOMLDate {
    let year = try readNumber("year", digits: 4, in: 0...9999)
    try expect(ASCII.minus, "'-' between year and month")
    let month = try readNumber("month", digits: 2, in: 1...12)
    try expect(ASCII.minus, "'-' between month and day")
    let start = position
    let day = try readNumber("day", digits: 2, in: 1...31)
    guard let date = TOMLDate(year: year, month: month, day: day) else {
      let last = TOMLDate.days(inMonth: month, of: year)
      throw TOMLError("found the day \(day), but that month of \(year) has \(last) days", at: start)
    }
    return date
  }

  /// Reads `HH:MM:SS` and an optional fraction; digits beyond nanoseconds are cut off, not rounded
  /// (TOML 1.0.0, "Offset Date-Time").
  mutating func readTime() throws(TOMLError) -> TOMLTime {
    let hour = try readNumber("hour", digits: 2, in: 0...23)
    try expect(ASCII.colon, "':' between hour and minute")
    let minute = try readNumber("minute", digits: 2, in: 0...59)
    try expect(ASCII.colon, "':' and the seconds")
    let second = try readNumber("second", digits: 2, in: 0...60)
    var nanosecond = 0
    if skip(ASCII.dot) {
      guard ASCII.isDigit(peek) else { throw expected("a digit after '.' of the seconds") }
      var scale = 100_000_000
      while let digit = peek, ASCII.isDigit(digit) {
        nanosecond += Int(digit - 0x30) * scale
        scale /= 10
        advance()
      }
    }
    guard let time = TOMLTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond) else {
      throw error("the time is out of range")
    }
    return time
  }

  private mutating func readNumber(
    _ name: String, digits: Int, in range: ClosedRange<Int>
  ) throws(TOMLError) -> Int {
    let start = position
    var value = 0
    for _ in 0..<digits {
      guard let digit = peek, ASCII.isDigit(digit) else {
        throw expected("\(digits) digits for the \(name)")
      }
      value = value * 10 + Int(digit - 0x30)
      advance()
    }
    guard range.contains(value) else {
      throw TOMLError(
        "found \(value) for the \(name), expected \(range.lowerBound) to \(range.upperBound)", at: start)
    }
    return value
  }

  private mutating func expect(_ byte: UInt8, _ what: String) throws(TOMLError) {
    guard skip(byte) else { throw expected(what) }
  }
}
