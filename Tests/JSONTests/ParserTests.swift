import JSON
import Testing

/// The value of `text`, or nil when it is refused.
private func parse(_ text: String) -> JSONValue? {
  try? JSON.parse(Array(text.utf8))
}

/// The error that `bytes` give, or nil when they are accepted.
private func error(_ bytes: [UInt8]) -> JSONError? {
  do throws(JSONError) {
    _ = try JSON.parse(bytes)
    return nil
  } catch {
    return error
  }
}

@Suite struct ParserTests {
  @Test func readsAPushBody() throws {
    let body =
      #" {"topic":"abc","tag":1108,"message":"bWVzc2FnZQ==","extra":[true,false,null,{}],"n":-1.5e3} "#
    let value = try JSON.parse(Array(body.utf8))
    #expect(value["topic"]?.stringValue == "abc")
    #expect(value["tag"]?.uint32Value == 1108)
    #expect(value["message"]?.stringValue == "bWVzc2FnZQ==")
    #expect(value["extra"] == .array([.bool(true), .bool(false), .null, .object(JSONObject())]))
    #expect(value["extra"]?[2]?.isNull == true)
    #expect(value["extra"]?[4] == nil)
    #expect(value["n"]?.doubleValue == -1500)
    #expect(value["absent"] == nil)
    #expect(value.objectValue?.members.map(\.key) == ["topic", "tag", "message", "extra", "n"])
  }

  @Test func anAccessorOfAnotherTypeGivesNil() {
    let value = parse(#"["1"]"#)?[0]
    #expect(value?.stringValue == "1")
    #expect(value?.numberValue == nil)
    #expect(value?.boolValue == nil)
    #expect(value?.arrayValue == nil)
    #expect(value?.objectValue == nil)
    #expect(value?["a"] == nil)
    #expect(value?[0] == nil)
  }

  @Test func theLastOfSeveralEqualNamesCounts() {
    let value = parse(#"{"a":1,"b":2,"a":3}"#)
    #expect(value?["a"]?.uint32Value == 3)
    #expect(value?.objectValue?.members.count == 3)
  }

  // U+212A, the Kelvin sign, is canonically equivalent to K: equal as String, but another name.
  @Test func namesAreComparedByteForByte() {
    #expect(parse("{\"K\":1,\"\u{212A}\":2}")?["K"]?.uint32Value == 1)
  }

  @Test(
    arguments: [
      ("0", 0, 0, 0), ("4294967295", 4_294_967_295, 4_294_967_295, 4_294_967_295),
      ("4294967296", nil, 4_294_967_296, 4_294_967_296), ("18446744073709551615", nil, UInt64.max, nil),
      ("18446744073709551616", nil, nil, nil), ("-1", nil, nil, -1), ("-0", nil, nil, 0),
      ("-9223372036854775808", nil, nil, Int64.min), ("1.0", nil, nil, nil), ("1e3", nil, nil, nil),
      ("1E0", nil, nil, nil),
    ] as [(String, UInt32?, UInt64?, Int64?)])
  func onlyPlainDigitsAreIntegers(text: String, uint32: UInt32?, uint64: UInt64?, int64: Int64?) {
    let value = parse(text)
    #expect(value?.numberValue?.literal == text)
    #expect(value?.uint32Value == uint32)
    #expect(value?.uint64Value == uint64)
    #expect(value?.int64Value == int64)
  }

  @Test func doublesAreNearestAndFinite() {
    #expect(parse("0.1")?.doubleValue == 0.1)
    #expect(parse("1e3")?.doubleValue == 1000)
    #expect(parse("-2.5E-1")?.doubleValue == -0.25)
    #expect(parse("1e999") != nil)
    #expect(parse("1e999")?.doubleValue == nil)
  }

  @Test func escapes() {
    #expect(
      parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud834\udd1e\u0000""#)?.stringValue
        == "\"\\/\u{8}\u{C}\n\r\tAé€𝄞\0")
    #expect(parse("\"é€𝄞\u{2028}\u{7F}\"")?.stringValue == "é€𝄞\u{2028}\u{7F}")
    #expect(parse("\"\"")?.stringValue == "")
  }

  @Test(arguments: [
    #""\ud834""#, #""\udd1e""#, #""\ud834x""#, #""\ud834\n""#, #""\ud834\u0041""#,
    #""\udd1e\ud834""#,
  ])
  func loneSurrogatesAreRefused(text: String) {
    #expect(error(Array(text.utf8))?.reason == .loneSurrogate)
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth)
        + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    #expect(error(nested(64)) == nil)
    #expect(error(nested(65))?.reason == .tooDeep(limit: 64))
    #expect(error(nested(65))?.offset == 64)
    #expect(error(Array((#"{"a":"# + String(repeating: "[", count: 64)).utf8))?.reason == .tooDeep(limit: 64))
    #expect(throws: JSONError.self) { try JSON.parse(nested(3), maximumDepth: 2) }
    #expect(throws: JSONError.self) { try JSON.parse(nested(100_000), maximumDepth: .max) }
    _ = try JSON.parse(nested(512), maximumDepth: .max)
    // Depth counts what is open, not what was.
    _ = try JSON.parse(Array("[[],[],{\"a\":{}}]".utf8), maximumDepth: 3)
  }

  @Test func errorsSayWhereAndWhat() {
    let unclosed = error(Array("{\n  \"a\": 1,\n  b\n}".utf8))
    #expect(unclosed?.offset == 14)
    #expect(unclosed?.line == 3)
    #expect(unclosed?.column == 3)
    #expect(unclosed?.reason == .unexpectedByte(expected: "a name in quotes"))
    #expect(
      unclosed?.description == "invalid JSON at line 3, column 3 (byte 14): expected a name in quotes")
  }

  @Test(
    arguments: [
      ("", .endOfText(expected: "a value"), 0),
      ("  ", .endOfText(expected: "a value"), 2),
      ("{} x", .trailingData, 3),
      ("[1 2]", .unexpectedByte(expected: "',' or ']'"), 3),
      ("[1", .endOfText(expected: "',' or ']'"), 2),
      ("[1,]", .unexpectedByte(expected: "a value"), 3),
      (#"{"a" 1}"#, .unexpectedByte(expected: "':'"), 5),
      ("-", .endOfText(expected: "a digit"), 1),
      ("01", .trailingData, 1),
      ("nul", .unexpectedByte(expected: "\"null\" or another value"), 0),
      ("\"a\nb\"", .controlCharacter, 2),
      ("\"a\\", .endOfText(expected: "the string's closing quote"), 3),
      ("\"a\\\"", .endOfText(expected: "the string's closing quote"), 4),
      (#""a\x""#, .unexpectedByte(expected: "one of \"\\/bfnrtu after a backslash"), 3),
      (#""\u12g4""#, .unexpectedByte(expected: "four hex digits after \\u"), 5),
      (#""\u12""#, .unexpectedByte(expected: "four hex digits after \\u"), 5),
    ] as [(String, JSONError.Reason, Int)])
  func faults(text: String, reason: JSONError.Reason, offset: Int) {
    let found = error(Array(text.utf8))
    #expect(found?.reason == reason)
    #expect(found?.offset == offset)
  }

  @Test func invalidUTF8IsRefusedWhereItStands() {
    let overlong = error([UInt8(ascii: "\""), UInt8(ascii: "a"), 0xC0, 0x80, UInt8(ascii: "\"")])
    #expect(overlong?.reason == .invalidUTF8)
    #expect(overlong?.offset == 2)
    // A surrogate in UTF-8, behind an escape.
    #expect(error(Array(#""\n"#.utf8) + [0xED, 0xA0, 0x80, UInt8(ascii: "\"")])?.reason == .invalidUTF8)
    #expect(error([0xEF, 0xBB, 0xBF] + Array("{}".utf8))?.reason == .byteOrderMark)
  }
}
