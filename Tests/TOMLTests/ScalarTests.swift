import TOML
import Testing

@Suite struct ScalarTests {
  @Test(
    arguments: [
      ("0", 0), ("+0", 0), ("-0", 0), ("1_000", 1000), ("-17", -17), ("9223372036854775807", .max),
      ("-9223372036854775808", .min), ("0xDEAD_beef", 0xDEAD_BEEF), ("0o0755", 0o755), ("0b1101", 13),
      ("0x7FFFFFFFFFFFFFFF", .max), ("0x00", 0),
    ] as [(String, Int64)])
  func integers(literal: String, expected: Int64) throws {
    guard case .integer(let integer) = try value(literal) else {
      Issue.record("\(literal) is no integer")
      return
    }
    #expect(integer == expected)
  }

  @Test(arguments: [
    ("1.0", 1), ("-0.0", -0.0), ("1e06", 1e6), ("1E-0_2", 0.01), ("6.626e-34", 6.626e-34), ("1_0.0_1", 10.01),
    ("+1.5e+3", 1500), ("0e0", 0), ("inf", .infinity), ("+inf", .infinity), ("-inf", -.infinity),
    ("1e400", .infinity), ("4.9e-324", .leastNonzeroMagnitude), ("0.1", 0.1),
    ("123456789012345678901234567890.0", 1.2345678901234568e29),
  ])
  func floats(literal: String, expected: Double) throws {
    guard case .float(let float) = try value(literal) else {
      Issue.record("\(literal) is no float")
      return
    }
    #expect(float == expected)
    #expect(float.sign == expected.sign)
  }

  @Test(arguments: ["nan", "+nan", "-nan"]) func notANumber(literal: String) throws {
    #expect(try parse("v = \(literal)")["v"]?.float?.isNaN == true)
  }

  @Test(arguments: [
    "+", "-", "--1", "+-1", "01", "-01", "+01", "00", "1_", "_1", "1__0", "0x", "0x_1", "0x1_", "0X1", "0O1",
    "0B1",
    "-0x1", "+0o1", "0b2", "0o8", "0xg", "0b", "0o", "9223372036854775808", "-9223372036854775809",
    "0x8000000000000000", "0xFFFFFFFFFFFFFFFF", ".5", "-.5", "+.5", "5.", "5.e1", "1e", "1e+", "1e_1", "1e1_",
    "1_e1",
    "1._5", "1_.5", "1.5_", "1.2.3", "1e1.5", "1e1e1", "00.5", "01e1", "Inf", "INF", "NaN", "infinity",
    "inf_", "in",
    "1f", "1 2", "1,2", "True", "TRUE", "tru", "true1", "e1", "0e", "1.0e", "++inf", "-+nan", "0_1", "0_0.5",
  ])
  func refusesNumbersAndWords(literal: String) {
    #expect(parseError("v = \(literal)") != nil)
  }

  @Test(arguments: [
    ("1979-05-27T07:32:00Z", "1979-05-27T07:32:00Z"), ("1979-05-27t07:32:00z", "1979-05-27T07:32:00Z"),
    ("1979-05-27 07:32:00-07:30", "1979-05-27T07:32:00-07:30"),
    ("1979-05-27T00:32:00.999999+23:59", "1979-05-27T00:32:00.999999+23:59"),
    ("1979-05-27T00:32:00-00:00", "1979-05-27T00:32:00Z"), ("1979-05-27T07:32:00", "1979-05-27T07:32:00"),
    ("1979-05-27 07:32:00.5 # x", "1979-05-27T07:32:00.500"), ("1979-05-27 # x", "1979-05-27"),
    ("2000-02-29", "2000-02-29"), ("0000-01-01", "0000-01-01"), ("9999-12-31", "9999-12-31"),
    ("23:59:60", "23:59:60"), ("00:00:00.1234567899", "00:00:00.123456789"), ("07:32:00.000000", "07:32:00"),
  ])
  func datesAndTimes(literal: String, expected: String) throws {
    let description =
      switch try value(literal) {
      case .offsetDateTime(let value): value.description
      case .localDateTime(let value): value.description
      case .localDate(let value): value.description
      case .localTime(let value): value.description
      default: "no date or time"
      }
    #expect(description == expected)
  }

  @Test(arguments: [
    "1979-13-01", "1979-00-01", "1979-01-00", "1979-01-32", "1979-04-31", "1900-02-29", "2023-02-29",
    "79-01-01",
    "10000-01-01", "1979-1-01", "1979-01-1", "1979/01/01", "1979-01-01T", "1979-01-01T1", "1979-01-01T07:32",
    "1979-01-01T07:32Z", "1979-01-01T24:00:00", "1979-01-01T00:60:00", "1979-01-01T00:00:61",
    "1979-01-01T00:00:00.",
    "1979-01-01T00:00:00.Z", "1979-01-01T00:00:00+24:00", "1979-01-01T00:00:00+00:60",
    "1979-01-01T00:00:00+0000",
    "1979-01-01T00:00:00+00", "1979-01-01T00:00:00ZZ", "1979-01-01  00:00:00", "1979-01-01_00:00:00",
    "24:00:00",
    "7:32:00", "07:32", "07:32:0", "07:32:00Z", "07:32:00+01:00", "+1979-01-01", "1979-01-01Z", "1979-01-01x",
  ])
  func refusesDatesAndTimes(literal: String) {
    #expect(parseError("v = \(literal)") != nil)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a\tb\n\f\r\b\"\\""#, "a\tb\n\u{C}\r\u{8}\"\\"), (#""\u00e9\U0001F600""#, "é😀"),
    (#"'a\tb'"#, "a\\tb"), ("\"\"\"\na\"\"b\"\"\"", "a\"\"b"), ("\"\"\"\r\n\nx\"\"\"", "\nx"),
    ("\"\"\"\"\"x\"\"\"\"\"", "\"\"x\"\""), ("'''''x'''''", "''x''"), ("''''''", ""),
    ("\"\"\"\"\"\"\"", "\""),
    ("\"\"\"a\\\n\n  \t\r\n b\"\"\"", "ab"), ("\"\"\"a\\  \n\"\"\"", "a"), ("\"\"\"a\\\\\n\"\"\"", "a\\\n"),
    ("'''a\\\nb'''", "a\\\nb"), ("\"\u{FEFF}\"", "\u{FEFF}"), (#""\u0000""#, "\0"), ("'\t'", "\t"),
    (#""""\"""""""#, "\"\"\""), ("\"\u{85}\u{2028}\"", "\u{85}\u{2028}"),
  ])
  func strings(literal: String, expected: String) throws {
    let string = try #require(try parse("v = \(literal)")["v"]?.string)
    // Not by `==`, which takes canonically equivalent strings for equal.
    #expect(Array(string.utf8) == Array(expected.utf8))
  }

  @Test(arguments: [
    #""\e""#, #""\x41""#, #""\a""#, #""\'""#, #""\/""#, #""\uD800""#, #""\uDFFF""#, #""\U00110000""#,
    #""\u12""#,
    #""\U0000004""#, #""\UFFFFFFFF""#, #""\U00D80000""#, #""\ug000""#, "\"a\nb\"", "'a\nb'", "\"a\\\nb\"",
    "\"\"\"a\\ b\"\"\"",
    "\"\"\"\"\"\"\"\"\"", "'''''''''", "'''a''''''", "\"", "'", "\"\"\"", "'''", "\"\"\"a\"\"", "\"\\\"",
    "\"\"\"\\\"\"\"",
    "'a''", "\"a\"\"", "“a”",
  ])
  func refusesStrings(literal: String) {
    #expect(parseError("v = \(literal)") != nil)
  }

  @Test(arguments: [
    "{a = 1,}", "{,}", "{a = 1 b = 2}", "{a = 1\n}", "{\na = 1}", "{a = 1, # x\n b = 2}", "{a}", "{a = }",
    "{", "{a = 1",
    "{a = 1,", "{a = 1,,b = 2}", "{[a] = 1}", "[,]", "[1,,2]", "[1 2]", "[", "[1", "[1,", "]", "}", "[}",
  ])
  func refusesArraysAndInlineTables(literal: String) {
    #expect(parseError("v = \(literal)") != nil)
  }

  @Test func arraysMayMixTypesAndSpanLines() throws {
    let array = try #require(
      try parse("v = [ # x\n\n1,\r\n'a', # y\n[true], {b = [\n1\n]}, # z\n]")["v"]?.array)
    #expect(array.map(\.typeName) == ["integer", "string", "array", "table"])
  }

  @Test func keysOfAllForms() throws {
    let table = try parse("3.14 = 1\n\"\" = 2\n'x.y' . \"\" = 3\n-_- = 4\ninf = 5\ntrue = 6\n1979-05-27 = 7")
    #expect(table.entries.map(\.key) == ["3", "", "x.y", "-_-", "inf", "true", "1979-05-27"])
    #expect(table["3"]?.table?["14"]?.integer == 1)
    #expect(table["x.y"]?.table?[""]?.integer == 3)
  }

  /// Floats of all lengths around what is read in one operation, against the C library's conversion.
  @Test func floatsAreRoundedAsIEEE754Wants() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let whole = Int64.random(in: 0...(.max >> Int64.random(in: 0...62)), using: &generator)
      let fraction =
        String(
          repeating: "0", count: .random(in: 0...3)) + String(Int64.random(in: 0...99_999_999_999))
      var literal = "\(Bool.random() ? "-" : "")\(whole).\(fraction.prefix(.random(in: 1...14)))"
      if Bool.random() { literal += "e\(["", "+", "-"].randomElement() ?? "")\(Int.random(in: 0...40))" }
      let parsed = try TOMLDocument.parse(Array("x = \(literal)".utf8))["x"]?.float
      #expect(parsed == Double(literal), "\(literal)")
    }
  }
}
