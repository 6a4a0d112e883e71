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

  // Strings are searched by the word: every special byte must be found at every place in one, and nothing
  // else, the neighbours of special bytes and bytes with the high bit among it.
  @Test func specialBytesAreFoundAtEveryPlace() throws {
    let plain = "!#[]\u{7F}\u{80}\u{A2}\u{DC} ~é𝄞"
    for length in 0...20 {
      for place in 0...length {
        for special in ["\"", "\\", "\u{0}", "\u{1F}", "\n", ""] {
          let before = String(repeating: "a", count: place)
          let text = before + special + plain + String(repeating: "\u{E9}", count: length - place)
          var writer = JSONWriter()
          writer.value(text)
          #expect(try JSON.parse(writer.bytes).stringValue == text)
          #expect(writer.bytes.count >= text.utf8.count + 2 + special.utf8.count)
          guard let control = special.utf8.first, control < 0x20 else { continue }
          #expect(throws: JSONError.self) { try JSON.parse(Array("\"\(text)\"".utf8)) }
        }
      }
    }
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
