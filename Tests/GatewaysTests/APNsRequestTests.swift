import EventLoop
import Gateways
import Testing

@Suite struct APNsRequestTests {
  private let token = "00ff" + String(repeating: "ab", count: 30)

  private func push(token: String) throws -> GatewayPush {
    GatewayPush(
      id: try #require(PushID((0..<16).map { UInt8($0) })), deviceToken: token,
      notification: .raw(topic: "t", tag: 1, message: "m"),
      lifetime: NotificationLifetime(300, from: 1_767_322_745),
      deadline: MonotonicTime(nanoseconds: 0))
  }

  @Test func headersInOrder() throws {
    let request = try #require(
      APNsRequest.build(
        try push(token: token), payload: Array("{}".utf8), authority: "api.push.apple.com",
        topic: "com.example.wallet", authorization: "bearer a.b.c"))
    #expect(request.method == "POST")
    #expect(request.scheme == "https")
    #expect(request.authority == "api.push.apple.com")
    #expect(request.path == "/3/device/\(token)")
    #expect(
      request.fields.map { "\($0.name): \($0.value)" } == [
        "authorization: bearer a.b.c", "apns-topic: com.example.wallet", "apns-push-type: alert",
        "apns-priority: 10", "apns-expiration: 1767323045",
        "apns-id: 00010203-0405-0607-0809-0a0b0c0d0e0f",
        "apns-collapse-id: 00010203-0405-0607-0809-0a0b0c0d0e0f", "content-type: application/json",
      ])
    #expect(request.body == Array("{}".utf8))
  }

  @Test func aClientCertificateNeedsNoAuthorization() throws {
    let request = try #require(
      APNsRequest.build(
        try push(token: token), payload: [], authority: "a", topic: "t", authorization: nil))
    #expect(request.fields.first("authorization") == nil)
    #expect(request.fields.first("apns-topic") == "t")
  }

  @Test(arguments: [
    "", "0", "abc", "zz", "00 11", "00/../../x", "é", "0\u{0}", String(repeating: "ab", count: 101),
  ])
  func aTokenThatIsNoHexIsDeadWithoutACall(token: String) throws {
    #expect(APNsRequest.path(deviceToken: token) == nil)
    #expect(
      APNsRequest.build(try push(token: token), payload: [], authority: "a", topic: "t", authorization: nil)
        == nil)
    #expect(APNsRequest.malformedToken == .deadToken(reason: "BadDeviceToken", since: nil))
  }

  @Test func tokensAreLowerCased() {
    #expect(APNsRequest.path(deviceToken: "00FFaB") == "/3/device/00ffab")
    #expect(APNsRequest.path(deviceToken: String(repeating: "ab", count: 100)) != nil)
  }

  @Test func pushIDs() {
    let id = PushID(messageID: "m", clientID: "c")
    #expect(id == PushID(messageID: "m", clientID: "c"))
    #expect(id != PushID(messageID: "m", clientID: "d"))
    #expect(PushID(messageID: "mc", clientID: "") != id)
    let text = Array(id.description.utf8)
    #expect(text.count == 36)
    #expect(text[14] == UInt8(ascii: "8"))
    #expect("89ab".utf8.contains(text[19]))
    #expect(id.description == id.description.lowercased())
    #expect(PushID([1, 2, 3]) == nil)
  }
}
