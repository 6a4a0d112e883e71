import EventLoop
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// `pushbox send` beside a server.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct SendTests {
  private let appliance: Appliance

  init() throws {
    appliance = try Appliance { $0.push = "deadline_ms = 4000" }
  }

  private func tombstones() throws -> UInt64? {
    let status = try appliance.client().send("GET", "/status")
    return status.json?["registrations"]?["tombstoned"]?.uint64Value
  }

  @Test func aPushToEachKindIsAcceptedWithTheServersOwnToken() throws {
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    #expect(try appliance.push(iphone.clientID, Appliance.raw("m")).status == 202)
    let (status, text) = try appliance.command("send", "--client", "did:key:" + iphone.clientID)
    #expect(status == 0, "\(text)")
    for words in ["registered for apns", "127.0.0.1:", "under the ID", "apns accepted the notification"] {
      #expect(text.contains(words), "\(text)")
    }
    let (second, other) = try appliance.command(
      "send", "--client", android.clientID, "--title", "Hello", "--body", "world")
    #expect(second == 0, "\(other)")
    let deliveries = appliance.gateway.deliveries
    try #require(deliveries.count == 3)
    #expect(deliveries[1].payload["aps"]?["alert"]?["title"]?.stringValue == "pushbox")
    // Apple counts new provider tokens: a command must not present one of its own.
    #expect(deliveries[0].fields.first("authorization") == deliveries[1].fields.first("authorization"))
    let message = deliveries[2].payload["message"]
    #expect(message?["notification"]?["title"]?.stringValue == "Hello")
    #expect(message?["notification"]?["body"]?.stringValue == "world")
    // Each test is a push of its own, not folded into the last one.
    #expect(try appliance.command("send", "--client", iphone.clientID, "--raw").status == 0)
    let last = try #require(appliance.gateway.deliveries.last)
    #expect(last.fields.first("apns-id") != deliveries[1].fields.first("apns-id"))
    #expect(last.payload["tag"]?.uint64Value == 1108)
  }

  @Test func jsonHasTheStepsAndTheResult() throws {
    let wallet = try appliance.registered()
    let (status, text) = try appliance.command("send", "--client", wallet.clientID, "--json")
    #expect(status == 0)
    let json = try JSON.parse(Array(text.utf8))
    let names = json["steps"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(names == ["registration", "gateway", "sent", "answer"])
    #expect(json["steps"]?.arrayValue?.allSatisfy { $0["ok"]?.boolValue == true } == true)
    #expect(json["result"]?["ok"]?.boolValue == true)
    #expect(json["result"]?["outcome"]?.stringValue == "accepted")
    #expect(json["result"]?["advice"]?.isNull == true)
  }

  @Test func refusalsAreToldAndChangeNothing() throws {
    let wallet = try appliance.registered()
    let cases: [(MockGateway.Reaction, String, String, String)] = [
      (
        .apns(.unregistered, timestamp: WallClock.milliseconds() + 60_000),
        "apns refuses the device token: Unregistered", "once the app registers", "client_deleted"
      ),
      (
        .apns(.badDeviceToken), "apns refuses the device token: BadDeviceToken", "environment",
        "client_deleted"
      ),
      (.apns(.topicDisallowed), "apns refuses pushbox: TopicDisallowed", "topic", "gateway_rejected"),
      (.apns(.tooManyRequests, retryAfter: 30), "apns throttles, for 30 s", "wait", "gateway_busy"),
      (.apns(.internalServerError), "apns failed:", "later", "gateway_unavailable"),
    ]
    for (reaction, words, advice, outcome) in cases {
      appliance.gateway.always(reaction, at: .apnsProduction)
      let (status, text) = try appliance.command("send", "--client", wallet.clientID)
      #expect(status == 1, "\(text)")
      #expect(text.contains(words), "\(text)")
      let told = text.contains("What to do: ") && text.contains(advice)
      #expect(told, "\(text)")
      let json = try appliance.command("send", "--client", wallet.clientID, "--json").text
      #expect(json.contains("\"outcome\":\"\(outcome)\""), "\(json)")
    }
    #expect(try tombstones() == 0)
    appliance.gateway.clearReactions()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
  }

  @Test func whatEndsBeforeTheGateway() throws {
    var (status, text) = try appliance.command("send", "--client", "z6MkNobody")
    #expect(status == 1)
    #expect(text.contains("the client is not registered"), "\(text)")
    let wallet = try appliance.registered()
    appliance.gateway.next(
      1, .apns(.unregistered, timestamp: WallClock.milliseconds() + 60_000), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).errorName == "client_deleted")
    (status, text) = try appliance.command("send", "--client", wallet.clientID)
    #expect(status == 1)
    #expect(text.contains("the device token is dead: Unregistered"), "\(text)")
    let other = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.always(.oauth("invalid_grant"), at: .oauth)
    (status, text) = try appliance.command("send", "--client", other.clientID)
    #expect(status == 1)
    #expect(text.contains("fcm refuses pushbox: invalid_grant"), "\(text)")
    appliance.gateway.stopListening(at: .fcm)
    appliance.gateway.clearReactions()
    (status, text) = try appliance.command("send", "--client", other.clientID)
    #expect(status == 1)
    #expect(text.contains("fcm cannot be reached: 127.0.0.1:"), "\(text)")
  }

  @Test func wrongUsage() throws {
    for arguments in [
      ["send"], ["send", "--client"], ["send", "--client", "a", "--raw", "--title", "t"],
      ["send", "--client", "a", "extra"], ["send", "--client", ""],
    ] {
      let (status, text) = try appliance.command(arguments)
      #expect(status == 2, "\(arguments)")
      #expect(text.contains("Usage: pushbox send"), "\(text)")
    }
    try appliance.configure { _ in "[server\n" }
    #expect(try appliance.command("send", "--client", "a").status == 2)
  }
}
