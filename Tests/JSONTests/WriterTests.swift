import JSON
import Testing

@Suite struct WriterTests {
  @Test func writesMembersInOrderWithCommasBetween() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("s", "text")
    writer.member("b", true)
    writer.member("u", UInt32.max)
    writer.member("i", Int64.min)
    writer.member("d", 1.5)
    writer.key("n")
    writer.null()
    writer.key("a")
    writer.beginArray()
    writer.value(1 as UInt8)
    writer.value("2")
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.endArray()
    writer.value(false)
    writer.endArray()
    writer.member("v", .object(JSONObject([.init(key: "x", value: .null), .init(key: "y", value: .null)])))
    writer.endObject()
    #expect(
      writer.string
        == #"{"s":"text","b":true,"u":4294967295,"i":-9223372036854775808,"d":1.5,"n":null,"#
        + #""a":[1,"2",{},[],false],"v":{"x":null,"y":null}}"#)
  }

  @Test func escapesOnlyWhatMustBe() {
    var out: [UInt8] = []
    JSONWriter.appendQuoted("a\"b\\c/d\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é€𝄞\u{2028}", to: &out)
    #expect(
      String(decoding: out, as: UTF8.self)
        == #""a\"b\\c/d\b\t\n\f\r\u0000\u001f"# + "\u{7F}é€𝄞\u{2028}\"")
  }

  @Test func appendsToWhatIsThere() {
    var writer = JSONWriter(appendingTo: Array("data: ".utf8))
    writer.value("x")
    #expect(writer.string == #"data: "x""#)
  }

  @Test(arguments: [0.0, -0.0, 0.1, 1e300, Double.leastNonzeroMagnitude, -123_456_789.25, 1e16])
  func doublesReadBackTheSame(number: Double) throws {
    var writer = JSONWriter()
    writer.value(number)
    #expect(try JSON.parse(writer.bytes).doubleValue == number)
  }

  @Test func whatJSONLacksIsNull() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.value(Double.infinity)
    writer.value(Double.nan)
    writer.endArray()
    #expect(writer.string == "[null,null]")
  }
}
