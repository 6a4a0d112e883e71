import Gateways
import HTTP
import Testing

private func body(_ notification: Gateways.Notification, ttl: UInt64 = 300) -> String? {
  guard case .content(let message, _) = FCMPayload.build(notification, oversize: .trim) else { return nil }
  return text(of: message, ttl: ttl)
}

private func text(of message: FCMPayload.Message, ttl: UInt64 = 300) -> String {
  let lifetime = NotificationLifetime(ttl, from: 1000)
  return String(
    decoding: FCMPayload.body(message, token: "tok:en", id: "push-id", lifetime: lifetime), as: UTF8.self)
}

/// What follows data in a body that the app shows.
private let silentRest =
  #""android":{"priority":"HIGH","ttl":"300s"},"# + appleRest
/// What follows data and notification in a body that the system shows.
private let alertRest =
  #""android":{"priority":"HIGH","ttl":"300s","notification":{"tag":"push-id"}},"# + appleRest
private let appleRest =
  #""apns":{"headers":{"apns-collapse-id":"push-id","apns-expiration":"1300"},"#
  + #""payload":{"aps":{"content-available":1}}},"token":"tok:en"}}"#

@Suite struct FCMPayloadTests {
  // The bytes of the older push server, key order included, and what it lacks: lifetime and identity.
  @Test func raw() {
    #expect(
      body(.raw(topic: "abc", tag: 1108, message: "bWVzc2FnZQ=="))
        == #"{"message":{"data":{"topic":"abc","tag":"1108","message":"bWVzc2FnZQ=="},"#
        + silentRest)
  }

  @Test func legacyEncrypted() {
    #expect(
      body(.legacyEncrypted(topic: "abc", flags: 17, blob: "YmxvYg=="))
        == #"{"message":{"data":{"topic":"abc","flags":"17","blob":"YmxvYg=="},"#
        + silentRest)
  }

  @Test func legacyPlain() {
    #expect(
      body(.legacyPlain(topic: "abc", flags: 2, blob: "e30=", title: "Sign \"it\"", body: "é"))
        == #"{"message":{"data":{"topic":"abc","flags":"2","blob":"e30="},"#
        + #""notification":{"title":"Sign \"it\"","body":"é"},"# + alertRest)
  }

  @Test func timeToLive() {
    let raw = Gateways.Notification.raw(topic: "t", tag: 1, message: "m")
    #expect(body(raw, ttl: .max)?.contains(#""ttl":"2419200s""#) == true)
    #expect(body(raw, ttl: 0)?.contains(#""ttl":"0s""#) == true)
    #expect(body(raw, ttl: 0)?.contains(#""apns-expiration":"0""#) == true)
    #expect(NotificationLifetime(.max, from: 1).expiration == .max)
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
      text(of: trimmed)
        == #"{"message":{"data":{"topic":"t","tag":"1"},"#
        + #""notification":{"title":"You have new notifications","body":"Open to view"},"# + alertRest)
  }

  @Test func legacyFormsAreTrimmedToo() {
    let long = String(repeating: "b", count: 5000)
    #expect(
      body(.legacyEncrypted(topic: "t", flags: 17, blob: long))
        == #"{"message":{"data":{"topic":"t","flags":"17"},"#
        + #""notification":{"title":"You have new notifications","body":"Open to view"},"# + alertRest)
    let cut = String(repeating: "b", count: 200) + "…"
    #expect(
      body(.legacyPlain(topic: "t", flags: 2, blob: long, title: "Sign", body: long))
        == #"{"message":{"data":{"topic":"t","flags":"2"},"notification":{"title":"Sign","body":""#
        + cut + #""},"# + alertRest)
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
