import Bytes

/// Integers and floats (TOML 1.0.0, "Integer" and "Float").
enum Numbers {
  static func hexDigit(_ byte: UInt8) -> UInt8? { Hex.digitValue(byte) }

  /// The number that `literal` spells. `start` is its place, for errors.
  static func parse(_ literal: ArraySlice<UInt8>, at start: TOMLPosition) throws(TOMLError)
    -> TOMLValue.Content
  {
    if let float = plainFloat(literal) { return .float(float) }
    var scanner = Scanner(rest: literal, first: literal.startIndex, start: start)
    let sign = scanner.skipSign()
    if scanner.skip("inf") {
      try scanner.expectEnd("nothing after 'inf'")
      return .float(sign == ASCII.minus ? -.infinity : .infinity)
    }
    if scanner.skip("nan") {
      try scanner.expectEnd("nothing after 'nan'")
      return .float(sign == ASCII.minus ? -.nan : .nan)
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] as [(String, Int64)] where scanner.skip(prefix)
    {
      if sign != nil { throw TOMLError("found a sign before '\(prefix)', expected none", at: start) }
      return .integer(try scanner.readInteger(radix: radix, negative: false))
    }
    return try parseDecimal(scanner, negative: sign == ASCII.minus)
  }

  /// What most numbers are: up to 18 digits, so that they fit, and nothing else.
  static func plainInteger(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
    guard (1...18).contains(range.count), bytes[range.lowerBound] != 0x30 || range.count == 1 else {
      return nil
    }
    var value: Int64 = 0
    for index in range {
      guard ASCII.isDigit(bytes[index]) else { return nil }
      value = value &* 10 &+ Int64(bytes[index] &- 0x30)
    }
    return value
  }

  /// What most floats are: digits, a point, digits and perhaps an exponent, with at most 15 digits in all and an
  /// exponent within 22. Both are then exact in binary64, so one operation rounds as IEEE 754 wants it (Clinger,
  /// "How to Read Floating Point Numbers Accurately").
  private static func plainFloat(_ literal: ArraySlice<UInt8>) -> Double? {
    var index = literal.startIndex
    let end = literal.endIndex
    let isNegative = index < end && literal[index] == ASCII.minus
    if isNegative { index += 1 }
    var significand: Int64 = 0
    func readDigits(_ first: Int) -> Int {
      var index = first
      while index < end, ASCII.isDigit(literal[index]) {
        if index - first < 16 { significand = significand &* 10 &+ Int64(literal[index] &- 0x30) }
        index += 1
      }
      return index
    }
    let point = readDigits(index)
    let whole = point - index
    guard whole > 0, point < end, literal[point] == ASCII.dot, whole == 1 || literal[index] != 0x30 else {
      return nil
    }
    let fractionEnd = readDigits(point + 1)
    let fraction = fractionEnd - point - 1
    guard fraction > 0, whole + fraction <= 15 else { return nil }
    let digits = significand
    var exponent = 0
    if fractionEnd < end {
      guard literal[fractionEnd] | 0x20 == UInt8(ascii: "e") else { return nil }
      var first = fractionEnd + 1
      let isDown = first < end && literal[first] == ASCII.minus
      if isDown { first += 1 }
      significand = 0
      let last = readDigits(first)
      guard last == end, (1...3).contains(last - first) else { return nil }
      exponent = isDown ? -Int(significand) : Int(significand)
    }
    exponent -= fraction
    guard abs(exponent) < powersOfTen.count else { return nil }
    let value =
      exponent < 0 ? Double(digits) / powersOfTen[-exponent] : Double(digits) * powersOfTen[exponent]
    return isNegative ? -value : value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19,
    1e20, 1e21, 1e22,
  ]

  private static func parseDecimal(
    _ scanner: Scanner, negative: Bool
  ) throws(TOMLError) -> TOMLValue.Content {
    var scanner = scanner
    let whole = scanner
    let digits = try scanner.readDigits("a digit")
    if digits.count > 1, digits.first == 0x30 {
      throw TOMLError("found a leading zero, expected none in a decimal number", at: whole.position)
    }
    if scanner.isAtEnd {
      var integer = whole
      return .integer(try integer.readInteger(radix: 10, negative: negative))
    }
    var text = (negative ? [ASCII.minus] : []) + digits
    if scanner.skip(".") {
      text.append(ASCII.dot)
      text += try scanner.readDigits("a digit after '.'")
    }
    if scanner.skip("e") || scanner.skip("E") {
      text.append(UInt8(ascii: "e"))
      if let sign = scanner.skipSign() { text.append(sign) }
      // An exponent may have leading zeros.
      text += try scanner.readDigits("a digit of the exponent")
    }
    try scanner.expectEnd("the end of the number")
    guard let value = Double(String(decoding: text, as: UTF8.self)) else {
      throw TOMLError("the number can't be represented as a 64-bit float", at: whole.position)
    }
    return .float(value)
  }
}

/// Reads a number literal, all ASCII on one line.
private struct Scanner {
  var rest: ArraySlice<UInt8>
  let first: Int
  let start: TOMLPosition

  var position: TOMLPosition { start.advanced(by: rest.startIndex - first) }
  var isAtEnd: Bool { rest.isEmpty }

  func expected(_ what: String) -> TOMLError {
    let found = rest.isEmpty ? "the end of the number" : describeFirstCharacter(of: rest)
    return TOMLError("found \(found), expected \(what)", at: position)
  }

  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  mutating func skipSign() -> UInt8? {
    guard let sign = rest.first, sign == ASCII.plus || sign == ASCII.minus else { return nil }
    rest = rest.dropFirst()
    return sign
  }

  func expectEnd(_ what: String) throws(TOMLError) {
    if !rest.isEmpty { throw expected(what) }
  }

  /// Reads one or more decimal digits; each underscore stands between two digits and is left out.
  mutating func readDigits(_ what: String) throws(TOMLError) -> [UInt8] {
    var digits: [UInt8] = []
    while let byte = rest.first {
      if ASCII.isDigit(byte) {
        digits.append(byte)
      } else if byte == ASCII.underscore {
        try checkUnderscore(after: digits.last) { ASCII.isDigit($0) }
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    if digits.isEmpty { throw expected(what) }
    return digits
  }

  private func checkUnderscore(
    after previous: UInt8?, isDigit: (UInt8?) -> Bool
  ) throws(TOMLError) {
    guard previous != nil, isDigit(rest.dropFirst().first) else {
      throw TOMLError("found '_', expected it only between two digits", at: position)
    }
  }

  /// Reads the rest as an integer of `radix`.
  mutating func readInteger(radix: Int64, negative: Bool) throws(TOMLError) -> Int64 {
    let begin = position
    var value: Int64 = 0
    var previous: UInt8?
    let isDigit = { (byte: UInt8?) in byte.flatMap(Numbers.hexDigit).map { Int64($0) < radix } ?? false }
    while let byte = rest.first {
      if byte == ASCII.underscore {
        try checkUnderscore(after: previous, isDigit: isDigit)
      } else {
        guard isDigit(byte), let digit = Numbers.hexDigit(byte) else {
          throw expected("a digit of base \(radix)")
        }
        // Counts downwards when negative, since the least integer has no positive counterpart.
        let (product, overflow) = value.multipliedReportingOverflow(by: radix)
        let (sum, carry) =
          negative
          ? product.subtractingReportingOverflow(Int64(digit))
          : product.addingReportingOverflow(Int64(digit))
        guard !overflow, !carry else {
          throw TOMLError("the integer does not fit in 64 bits (\(Int64.min) to \(Int64.max))", at: begin)
        }
        value = sum
        previous = byte
      }
      rest = rest.dropFirst()
    }
    if previous == nil { throw expected("a digit of base \(radix)") }
    return value
  }
}
