import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct PushTests {
  @Test func pushesReachEachKindOfDeviceWithThePayloadThatWalletsExpect() throws {
    let appliance = try Appliance()
    let tokens = [Appliance.apnsToken(), Appliance.apnsToken(), Appliance.fcmToken()]
    let kinds = ["apns", "apns-sandbox", "fcm"]
    let wallets = try zip(kinds, tokens).map { try appliance.registered(type: $0, token: $1) }
    let client = appliance.client()
    for wallet in wallets {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("m\"é"), over: client).status == 202)
    }
    let deliveries = appliance.gateway.deliveries
    #expect(deliveries.map(\.service) == [.apnsProduction, .apnsSandbox, .fcm])
    #expect(deliveries.map(\.deviceToken) == tokens)
    let apple = try JSON.parse(
      Array(
        #"{"aps":{"alert":{"title":"You have new notifications. Open to view"},"content-available":1,"mutable-content":1},"message":"m\"é","tag":1108,"topic":"topic-1"}"#
          .utf8))
    #expect(deliveries[0].payload == apple)
    #expect(deliveries[1].payload == apple)
    let data = try JSON.parse(Array(#"{"topic":"topic-1","tag":"1108","message":"m\"é"}"#.utf8))
    #expect(deliveries[2].payload["message"]?["data"] == data)
  }

  @Test func legacyPushesInBothForms() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(alwaysRaw: false)
    let encrypted = MockRelay.legacyBody(id: "1", topic: "t", flags: 17, blob: "blob")
    #expect(try appliance.push(wallet.clientID, encrypted).status == 202)
    let blob = MockRelay.plainBlob(title: "Title", body: "Body")
    let plain = MockRelay.legacyBody(id: "2", topic: "t", flags: 16, blob: blob)
    #expect(try appliance.push(wallet.clientID, plain).status == 202)
    let deliveries = appliance.gateway.deliveries
    try #require(deliveries.count == 2)
    #expect(deliveries[0].payload["blob"]?.stringValue == "blob")
    #expect(deliveries[1].payload["aps"]?["alert"]?["title"]?.stringValue == "Title")
    #expect(deliveries[1].payload["aps"]?["alert"]?["body"]?.stringValue == "Body")
    // The family that the client did not ask for does not serve instead.
    let raw = try appliance.push(wallet.clientID, Appliance.raw("m"))
    #expect(raw.status == 400)
    #expect(raw.fieldNames == ["id", "payload"])
  }

  @Test func aPushThatFailedIsDeliveredByTheRetryAndOnceOnly() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    let wallet = try appliance.registered()
    appliance.gateway.always(.apns(.serviceUnavailable), at: .apnsProduction)
    let body = Appliance.raw("important")
    let failed = try appliance.push(wallet.clientID, body)
    #expect(failed.status == 502)
    #expect(failed.errorName == "gateway_unavailable")
    #expect(appliance.gateway.deliveryCount == 0)
    appliance.gateway.serveNormally(at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, body).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
    #expect(try appliance.push(wallet.clientID, body).status == 200)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aPassingFaultOfTheGatewayIsRetriedWithinTheDeadline() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.next(2, .html(502), at: .fcm)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func twoCopiesAtTheSameMomentAreDeliveredOnce() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.always(.serve.after(.milliseconds(300)), at: .apnsProduction)
    let body = Appliance.raw("twice")
    let statuses = try Parallel.map(8) { _ in try appliance.push(wallet.clientID, body).status }
    // A copy that came during the delivery has its answer; one after it is a duplicate.
    #expect(statuses.contains(202))
    #expect(statuses.allSatisfy { $0 == 202 || $0 == 200 }, "\(statuses)")
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func oneMessageForTwoClientsReachesBoth() throws {
    let appliance = try Appliance()
    let wallets = [try appliance.registered(), try appliance.registered()]
    for wallet in wallets {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("same")).status == 202)
    }
    #expect(appliance.gateway.deliveryCount == 2)
  }

  @Test func aDeadTokenIsGivenUpAndNeverPushedToAgain() throws {
    let appliance = try Appliance()
    let token = Appliance.apnsToken()
    let wallet = try appliance.registered(token: token)
    appliance.gateway.next(
      1, .apns(.unregistered, timestamp: WallClock.milliseconds()), at: .apnsProduction)
    let first = try appliance.push(wallet.clientID, Appliance.raw("1"))
    #expect(first.status == 202)
    #expect(first.errorName == "client_deleted")
    let second = try appliance.push(wallet.clientID, Appliance.raw("2"))
    #expect(second.status == 202)
    #expect(second.errorName == "client_deleted")
    #expect(appliance.gateway.counters(of: .apnsProduction).requests == 1)
    // A new registration revives it.
    #expect(try appliance.register(wallet.clientID, token: token).status == 200)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("3")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aLateRefusalDoesNotTouchANewerRegistration() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    // Apple says that the token died an hour before the app registered.
    appliance.gateway.next(
      1, .apns(.unregistered, timestamp: WallClock.milliseconds() - 3_600_000), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).errorName == "client_deleted")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).isSuccess)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func refusedCredentialsAreAnsweredAsFinalAndKeepTheClient() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.next(1, .apns(.topicDisallowed), at: .apnsProduction)
    let refused = try appliance.push(wallet.clientID, Appliance.raw("1"))
    #expect(refused.status == 424)
    #expect(refused.errorName == "gateway_rejected")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aWrongTopicDoesNotWipeTheFleet() throws {
    let appliance = try Appliance()
    let wallets = try (0..<40).map { _ in try appliance.registered() }
    appliance.gateway.always(.apns(.deviceTokenNotForTopic), at: .apnsProduction)
    let client = appliance.client()
    let answers = try wallets.map {
      try appliance.push($0.clientID, Appliance.raw("1"), over: client).status
    }
    // The first refusals may be devices; then the brake holds.
    #expect(answers.suffix(15).allSatisfy { $0 == 424 }, "\(answers)")
    appliance.gateway.serveNormally(at: .apnsProduction)
    for wallet in wallets.suffix(15) {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("2"), over: client).isSuccess)
    }
    #expect(appliance.gateway.deliveryCount == 15)
  }

  @Test func oneGatewaySilentLeavesTheOtherAlone() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 2000" }
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.always(.neverAnswer, at: .apnsProduction)
    let statuses = try Parallel.map(6) { index in
      let client = index < 3 ? iphone : android
      return try appliance.push(client.clientID, Appliance.raw("\(index)")).status
    }
    #expect(statuses == [504, 504, 504, 202, 202, 202])
  }

  @Test func brokenConnectionsLoseNoPush() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let client = appliance.client()
    let reactions: [MockGateway.Reaction] = [
      .reset(.refusedStream), .goAway(.noError), .disconnect, .reset(.internalError),
    ]
    for (index, reaction) in reactions.enumerated() {
      appliance.gateway.next(1, reaction, at: .apnsProduction)
      let response = try appliance.push(wallet.clientID, Appliance.raw("\(index)"), over: client)
      #expect(response.status == 202, "\(index): \(response.text)")
    }
    #expect(appliance.gateway.deliveryCount == reactions.count)
  }

  @Test func tooLargeAMessageStillShowsAnAlert() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let body = Appliance.raw(String(repeating: "x", count: 5000))
    #expect(try appliance.push(wallet.clientID, body).status == 202)
    let delivery = try #require(appliance.gateway.deliveries.last)
    #expect(delivery.payload["message"] == nil)
    #expect(delivery.payload["topic"]?.stringValue == "topic-1")
    #expect(delivery.payload["aps"]?["alert"]?["title"] != nil)
  }

  @Test func tooLargeAMessageIsRefusedWhenSoConfigured() throws {
    let appliance = try Appliance { $0.push = "oversize = \"reject\"" }
    let wallet = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    let response = try appliance.push(
      wallet.clientID, Appliance.raw(String(repeating: "x", count: 5000)))
    #expect(response.status == 413)
    #expect(response.errorName == "payload_too_large")
    #expect(appliance.gateway.deliveryCount == 0)
  }

  @Test func tenThousandPushesOverOneConnectionUseOneGatewayConnectionAWorker() throws {
    let appliance = try Appliance { $0.more = "[log]\nlevel = \"info\"\n" }
    appliance.gateway.setRecording(.countOnly)
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    let client = appliance.client()
    for index in 0..<10_000 {
      let wallet = index % 2 == 0 ? iphone : android
      let status = try appliance.push(wallet.clientID, Appliance.raw("\(index)"), over: client).status
      guard status == 202 else {
        Issue.record("push \(index) was answered \(status)")
        return
      }
    }
    #expect(appliance.gateway.deliveryCount == 10_000)
    for service in [MockGateway.Service.apnsProduction, .fcm] {
      #expect(appliance.gateway.counters(of: service).connectionsOpened <= 2)
    }
  }
}

/// Blocking work on threads of its own, all at once.
enum Parallel {
  static func map<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Value) throws
    -> [Value]
  {
    let results = (0..<count).map { index in
      let result = Rendezvous<Result<Value, any Error>>()
      do {
        let thread = try SystemThread(name: "parallel-\(index)") {
          result.give(Result { try body(index) })
        }
        thread.detach()
      } catch {
        result.give(.failure(error))
      }
      return result
    }
    return try results.map { try $0.wait().get() }
  }
}
