import Bytes
import JSON
import Relay
import Testing

@Suite struct PushBodyTests {
  static let raw = #""topic":"t","tag":1100,"message":"m""#
  static let encrypted = #""id":"i","payload":{"topic":"lt","flags":17,"blob":"secret"}"#

  func message(_ text: String, alwaysRaw: Bool) throws(PushBodyError) -> PushMessage {
    try PushBody(Array(text.utf8)).message(alwaysRaw: alwaysRaw)
  }

  /// Fields that the error for `text` names, each with its description.
  func problems(_ text: String, alwaysRaw: Bool) -> [String] {
    do throws(PushBodyError) {
      _ = try message(text, alwaysRaw: alwaysRaw)
      return ["accepted"]
    } catch {
      return error.fields.map(\.field)
    }
  }

  @Test func readsEachFamily() throws {
    let both = "{\(Self.raw),\(Self.encrypted),\"more\":[{}]}"
    for text in [both, "{\(Self.raw)}"] {
      guard case .raw(let push) = try message(text, alwaysRaw: true) else {
        Issue.record("not raw: \(text)")
        continue
      }
      #expect(push.topic == "t")
      #expect(push.tag == 1100)
      #expect(push.message == "m")
    }
    for text in [both, "{\(Self.encrypted)}"] {
      guard case .legacyEncrypted(let push) = try message(text, alwaysRaw: false) else {
        Issue.record("not legacy: \(text)")
        continue
      }
      #expect(push.topic == "lt")
      #expect(push.flags == 17)
      #expect(push.blob == "secret")
      #expect(push.id.text == "i")
    }
  }

  @Test func doesNotFallBackToTheOtherFamily() {
    #expect(problems("{\(Self.encrypted)}", alwaysRaw: true) == ["topic", "tag", "message"])
    #expect(problems("{\(Self.raw)}", alwaysRaw: false) == ["id", "payload"])
  }

  @Test(arguments: [
    (#"{"tag":1,"message":"m"}"#, ["topic"]),
    (#"{"topic":"t","message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":1}"#, ["message"]),
    (#"{"topic":1,"tag":1,"message":"m"}"#, ["topic"]),
    (#"{"topic":null,"tag":1,"message":["m"]}"#, ["topic", "message"]),
    (#"{"topic":"t","tag":"1","message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":1100.0,"message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":1e3,"message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":-1,"message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":4294967296,"message":"m"}"#, ["tag"]),
    (#"{"topic":"t","tag":true,"message":"m"}"#, ["tag"]),
    ("{}", ["topic", "tag", "message"]),
  ])
  func namesTheFieldsAtFaultInTheRawFamily(text: String, fields: [String]) {
    #expect(problems(text, alwaysRaw: true) == fields)
  }

  @Test(arguments: [
    (#"{"payload":{"topic":"t","flags":1,"blob":"b"}}"#, ["id"]),
    (#"{"id":7,"payload":{"topic":"t","flags":1,"blob":"b"}}"#, ["id"]),
    (#"{"id":"","payload":{"topic":"t","flags":1,"blob":"b"}}"#, ["id"]),
    (#"{"id":"i"}"#, ["payload"]),
    (#"{"id":"i","payload":"p"}"#, ["payload"]),
    (#"{"id":"i","payload":[]}"#, ["payload"]),
    (#"{"id":"i","payload":{"flags":1,"blob":"b"}}"#, ["payload.topic"]),
    (#"{"id":"i","payload":{"topic":"t","flags":1.0,"blob":"b"}}"#, ["payload.flags"]),
    (#"{"id":"i","payload":{"topic":"t","flags":4294967296,"blob":"b"}}"#, ["payload.flags"]),
    (#"{"id":"i","payload":{"topic":"t","flags":1}}"#, ["payload.blob"]),
    (#"{"id":"i","payload":{}}"#, ["payload.topic", "payload.flags", "payload.blob"]),
  ])
  func namesTheFieldsAtFaultInTheLegacyFamily(text: String, fields: [String]) {
    #expect(problems(text, alwaysRaw: false) == fields)
  }

  @Test func describesAFieldAtFault() {
    let body = #"{"topic":"t","tag":1e3}"#
    let error = #expect(throws: PushBodyError.self) { try message(body, alwaysRaw: true) }
    #expect(error?.name == "field")
    #expect(
      error?.fields == [
        RequestField("tag", "must be an integer from 0 to 4294967295, without fraction or exponent", .body),
        RequestField("message", "is missing from the request", .body),
      ])
    #expect(error?.description.hasPrefix("tag: must be an integer") == true)
  }

  @Test func acceptsTheLimitsOfNumbersAndEmptyStrings() throws {
    let text =
      #"{"topic":"","tag":4294967295,"message":"","id":"i","payload":{"topic":"","flags":1,"blob":""}}"#
    guard case .raw(let raw) = try message(text, alwaysRaw: true) else {
      Issue.record("not raw")
      return
    }
    #expect(raw.tag == .max)
    #expect(raw.message.isEmpty)
    #expect(try message(text, alwaysRaw: false).id.text == "i")
  }

  @Test(arguments: ["", "{", "nonsense", #"{"topic":"t",}"#, "{} {}"])
  func refusesMalformedJSON(text: String) {
    let error = #expect(throws: PushBodyError.self) { try PushBody(Array(text.utf8)) }
    #expect(error?.name == "decode")
    #expect(error?.fields == [])
    #expect(error?.description.contains("line 1") == true)
  }

  @Test(arguments: ["[]", "null", "\"text\"", "1"])
  func refusesJSONThatIsNoObject(text: String) {
    let error = #expect(throws: PushBodyError.notAnObject) { try PushBody(Array(text.utf8)) }
    #expect(error?.name == "decode")
  }

  @Test func refusesWhatIsNotUTF8() {
    let bytes = Array(#"{"topic":""#.utf8) + [0xFF] + Array(#"","tag":1,"message":"m"}"#.utf8)
    let error = #expect(throws: PushBodyError.self) { try PushBody(bytes) }
    #expect(error?.name == "decode")
    #expect(error?.description.contains("UTF-8") == true)
  }

  func plain(_ blob: String, flags: UInt32 = 2) -> String {
    #"{"id":"i","payload":{"topic":"t","flags":\#(flags),"blob":"\#(blob)"}}"#
  }

  @Test(arguments: [UInt32(0), 2, 4, 8, 16])
  func decodesTheBlobOfClearText(flags: UInt32) throws {
    let json = #"{"title":"You have a sign request","body":"Ünïcode","image":"x","url":null}"#
    let decoded = try message(plain(Base64.encode(Array(json.utf8)), flags: flags), alwaysRaw: false)
    guard case .legacyPlain(let push, let title, let body) = decoded else {
      Issue.record("not in clear text")
      return
    }
    #expect(title == "You have a sign request")
    #expect(body == "Ünïcode")
    #expect(!push.isEncrypted)
  }

  @Test(arguments: [
    "not base64!", "e30", Base64.encode(Array("no json".utf8)), Base64.encode(Array("[]".utf8)),
    Base64.encode(Array(#"{"title":"t"}"#.utf8)), Base64.encode(Array(#"{"title":"t","body":1}"#.utf8)),
  ])
  func refusesBlobsThatDoNotDecode(blob: String) {
    let error = #expect(throws: PushBodyError.self) { try message(plain(blob), alwaysRaw: false) }
    #expect(error?.name == "json")
    #expect(error?.fields.map(\.field) == ["payload.blob"])
    #expect(error?.description.contains(blob) == false)
  }
}
