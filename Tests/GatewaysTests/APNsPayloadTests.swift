import Gateways
import JSON
import Testing

private func text(_ notification: Gateways.Notification, _ oversize: OversizePolicy = .trim) -> String? {
  guard case .content(let bytes, _) = APNsPayload.build(notification, oversize: oversize) else { return nil }
  return String(decoding: bytes, as: UTF8.self)
}

@Suite struct APNsPayloadTests {
  // The bytes of the older push server, key order included.
  @Test func raw() {
    #expect(
      text(.raw(topic: "abc", tag: 1108, message: "bWVzc2FnZQ=="))
        == #"{"aps":{"alert":{"title":"You have new notifications. Open to view"},"content-available":1,"#
        + #""mutable-content":1},"message":"bWVzc2FnZQ==","tag":1108,"topic":"abc"}"#)
  }

  @Test func legacyEncrypted() {
    #expect(
      text(.legacyEncrypted(topic: "abc", flags: 17, blob: "Ymxv/Yg=="))
        == #"{"aps":{"alert":{"title":"You have new notifications. Open to view"},"content-available":1,"#
        + #""mutable-content":1},"blob":"Ymxv/Yg==","topic":"abc"}"#)
  }

  @Test func legacyPlain() {
    let notification = Gateways.Notification.legacyPlain(
      topic: "abc", flags: 2, blob: "x", title: "Signature \"required\"", body: "Sign\nhere é")
    #expect(
      text(notification)
        == #"{"aps":{"alert":{"title":"Signature \"required\"","body":"Sign\nhere é"},"content-available":1,"#
        + #""mutable-content":1},"topic":"abc"}"#)
  }

  @Test func exactlyTheLimitIsSentWholeAndOneByteMoreIsNot() {
    let overhead = text(.raw(topic: "t", tag: 1, message: ""))?.utf8.count ?? 0
    func build(_ count: Int, _ oversize: OversizePolicy) -> GatewayPayload<[UInt8]> {
      APNsPayload.build(
        .raw(topic: "t", tag: 1, message: String(repeating: "m", count: count)), oversize: oversize)
    }
    guard case .content(let whole, trimmed: false) = build(4096 - overhead, .reject) else {
      Issue.record("a payload of exactly the limit must be sent whole")
      return
    }
    #expect(whole.count == 4096)
    #expect(build(4097 - overhead, .reject) == .tooLarge)
    guard case .content(let trimmed, trimmed: true) = build(4097 - overhead, .trim) else {
      Issue.record("a payload over the limit must be trimmed")
      return
    }
    #expect(
      String(decoding: trimmed, as: UTF8.self)
        == #"{"aps":{"alert":{"title":"You have new notifications. Open to view"},"content-available":1,"#
        + #""mutable-content":1},"tag":1,"topic":"t"}"#)
  }

  @Test func theLimitCountsBytesAfterEscaping() {
    // 1,500 characters, but 3,000 bytes, or 9,000 when each is escaped.
    #expect(
      APNsPayload.build(
        .raw(topic: "t", tag: 1, message: String(repeating: "é", count: 1500)), oversize: .reject)
        != .tooLarge)
    #expect(
      APNsPayload.build(
        .raw(topic: "t", tag: 1, message: String(repeating: "\u{1}", count: 1500)), oversize: .reject)
        == .tooLarge)
  }

  @Test func legacyFormsAreTrimmedToo() throws {
    let long = String(repeating: "b", count: 5000)
    #expect(
      text(.legacyEncrypted(topic: "abc", flags: 17, blob: long))
        == #"{"aps":{"alert":{"title":"You have new notifications. Open to view"},"content-available":1,"#
        + #""mutable-content":1},"topic":"abc"}"#)
    let plain = text(.legacyPlain(topic: "abc", flags: 2, blob: long, title: "Sign", body: long)) ?? ""
    let alert = try JSON.parse(Array(plain.utf8))["aps"]?["alert"]
    #expect(alert?["title"]?.stringValue == "Sign")
    #expect(alert?["body"]?.stringValue == String(repeating: "b", count: 200) + "…")
    // Even what escaping makes six times as long fits.
    let hostile = String(repeating: "\u{1}", count: 5000)
    #expect(text(.legacyPlain(topic: "abc", flags: 2, blob: "", title: hostile, body: hostile)) != nil)
  }

  @Test func whatTrimmingCannotMendIsTooLarge() {
    let topic = String(repeating: "t", count: 5000)
    #expect(APNsPayload.build(.raw(topic: topic, tag: 1, message: ""), oversize: .trim) == .tooLarge)
  }
}
