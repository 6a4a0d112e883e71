import Gateways
import HTTP
import Testing

private func body(_ notification: Gateways.Notification, ttl: UInt64? = nil) -> String? {
  guard case .content(let message, _) = FCMPayload.build(notification, oversize: .trim) else { return nil }
  return String(decoding: FCMPayload.body(message, token: "tok:en", ttl: ttl), as: UTF8.self)
}

@Suite struct FCMPayloadTests {
  /// What follows data and notification in every body.
  private let rest =
    #""android":{"priority":"HIGH"},"apns":{"payload":{"aps":{"content-available":1}}},"token":"tok:en"}}"#

  // The bytes of the older push server, key order included.
  @Test func raw() {
    #expect(
      body(.raw(topic: "abc", tag: 1108, message: "bWVzc2FnZQ=="))
        == #"{"message":{"data":{"topic":"abc","tag":"1108","message":"bWVzc2FnZQ=="},"#
        + #""android":{"priority":"HIGH"},"apns":{"payload":{"aps":{"content-available":1}}},"token":"tok:en"}}"#
    )
  }

  @Test func legacyEncrypted() {
    #expect(
      body(.legacyEncrypted(topic: "abc", flags: 17, blob: "YmxvYg=="))
        == #"{"message":{"data":{"topic":"abc","flags":"17","blob":"YmxvYg=="},"#
        + #""android":{"priority":"HIGH"},"apns":{"payload":{"aps":{"content-available":1}}},"token":"tok:en"}}"#
    )
  }

  @Test func legacyPlain() {
    #expect(
      body(.legacyPlain(topic: "abc", flags: 2, blob: "e30=", title: "Sign \"it\"", body: "é"))
        == #"{"message":{"data":{"topic":"abc","flags":"2","blob":"e30="},"#
        + #""notification":{"title":"Sign \"it\"","body":"é"},"android":{"priority":"HIGH"},"#
        + #""apns":{"payload":{"aps":{"content-available":1}}},"token":"tok:en"}}"#)
  }

  @Test func timeToLive() {
    #expect(
      body(.raw(topic: "t", tag: 1, message: "m"), ttl: 300)?
        .contains(#""android":{"priority":"HIGH","ttl":"300s"}"#) == true)
    #expect(body(.raw(topic: "t", tag: 1, message: "m"), ttl: .max)?.contains(#""ttl":"2419200s""#) == true)
    #expect(FCMRequest.ttl(expiration: 1300, now: 1000) == 300)
    #expect(FCMRequest.ttl(expiration: 1000, now: 1300) == 0)
    #expect(FCMRequest.ttl(expiration: .max, now: 0) == 2_419_200)
  }

  @Test func keysAndValuesCountAgainstTheLimit() {
    // topic + t + tag + 1 + message
    let overhead = 5 + 1 + 3 + 1 + 7
    func build(_ count: Int, _ oversize: OversizePolicy) -> GatewayPayload<FCMPayload.Message> {
      FCMPayload.build(
        .raw(topic: "t", tag: 1, message: String(repeating: "\"", count: count)), oversize: oversize)
    }
    guard case .content(let whole, trimmed: false) = build(4096 - overhead, .reject) else {
      Issue.record("a message of exactly the limit must be sent whole; escapes do not count")
      return
    }
    #expect(whole.data.map(\.key) == ["topic", "tag", "message"])
    #expect(build(4097 - overhead, .reject) == .tooLarge)
    guard case .content(let trimmed, trimmed: true) = build(4097 - overhead, .trim) else {
      Issue.record("a message over the limit must be trimmed")
      return
    }
    // The SDK shows nothing without the message, so the system must.
    #expect(
      String(decoding: FCMPayload.body(trimmed, token: "tok:en"), as: UTF8.self)
        == #"{"message":{"data":{"topic":"t","tag":"1"},"#
        + #""notification":{"title":"You have new notifications","body":"Open to view"},"# + rest)
  }

  @Test func legacyFormsAreTrimmedToo() {
    let long = String(repeating: "b", count: 5000)
    #expect(
      body(.legacyEncrypted(topic: "t", flags: 17, blob: long))
        == #"{"message":{"data":{"topic":"t","flags":"17"},"#
        + #""notification":{"title":"You have new notifications","body":"Open to view"},"# + rest)
    let cut = String(repeating: "b", count: 200) + "…"
    #expect(
      body(.legacyPlain(topic: "t", flags: 2, blob: long, title: "Sign", body: long))
        == #"{"message":{"data":{"topic":"t","flags":"2"},"notification":{"title":"Sign","body":""#
        + cut + #""},"# + rest)
    #expect(FCMPayload.build(.raw(topic: long, tag: 1, message: ""), oversize: .trim) == .tooLarge)
  }

  @Test func request() {
    let request = FCMRequest.build(
      body: Array("{}".utf8), authority: "fcm.googleapis.com",
      path: FCMRequest.path(projectID: "wallet-1234"),
      authorization: "Bearer ya29.x")
    #expect(request.method == "POST")
    #expect(request.scheme == "https")
    #expect(request.authority == "fcm.googleapis.com")
    #expect(request.path == "/v1/projects/wallet-1234/messages:send")
    #expect(
      request.fields == [
        HTTPField("authorization", "Bearer ya29.x"), HTTPField("content-type", "application/json"),
      ])
  }
}
