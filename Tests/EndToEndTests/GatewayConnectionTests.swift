import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Connections to gateways that break in every way: no push is lost, and what cannot be delivered is told.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct GatewayConnectionTests {
  @Test(arguments: ["apns", "fcm"]) func brokenStreamsAndConnectionsLoseNoPush(kind: String) throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(kind: kind)
    let client = appliance.client()
    let reactions: [(String, MockGateway.Reaction)] = [
      ("half-closed", .halfClose), ("garbage", .garbage), ("disconnect", .disconnect),
      ("GOAWAY", .goAway(.noError)), ("GOAWAY with an error", .goAway(.enhanceYourCalm)),
      ("REFUSED_STREAM", .reset(.refusedStream)), ("INTERNAL_ERROR", .reset(.internalError)),
      ("slow", .serve.after(.milliseconds(300))),
    ]
    for (index, (name, reaction)) in reactions.enumerated() {
      appliance.gateway.next(1, reaction, at: Appliance.service(kind))
      let response = try appliance.push(wallet.clientID, Appliance.raw("\(index)"), over: client)
      #expect(response.status == 202, "\(name): \(response.text)")
      #expect(appliance.gateway.deliveryCount == index + 1, "\(name)")
      #expect(try appliance.state(kind) == "ok", "\(name)")
    }
  }

  @Test func changingStreamLimitsLoseNoPush() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.always(.serve.after(.milliseconds(20)), at: .apnsProduction)
    let pusher = try Offloaded {
      try Parallel.map(8) { thread in
        let client = appliance.client()
        return try (0..<25).map { index in
          try appliance.push(wallet.clientID, Appliance.raw("\(thread).\(index)"), over: client).status
        }
      }
    }
    while appliance.gateway.deliveryCount < 1 { sched_yield() }
    for limit in [1, 3, 0, 2, 1000] {
      appliance.gateway.setMaxConcurrentStreams(limit, at: .apnsProduction)
      let count = appliance.gateway.deliveryCount
      if limit > 0 { while appliance.gateway.deliveryCount < min(200, count + 10) { sched_yield() } }
    }
    #expect(try pusher.value().joined().allSatisfy { $0 == 202 })
    #expect(appliance.gateway.deliveryCount == 200)
  }

  @Test func applesHabitAfterARefusalLosesNothing() throws {
    let appliance = try Appliance()
    appliance.gateway.setLimitsStreams(true)
    let dead = (0..<3).map { _ in Appliance.apnsToken() }
    for token in dead {
      appliance.gateway.always(
        .apns(.unregistered, timestamp: WallClock.milliseconds() + 60_000), at: .apnsProduction,
        deviceToken: token)
    }
    let wallets =
      try (0..<3).map { try appliance.registered(token: dead[$0]) }
      + (0..<30).map { _ in try appliance.registered() }
    let answers = try Parallel.map(wallets.count) { index in
      try appliance.push(wallets[index].clientID, Appliance.raw("m"))
    }
    #expect(answers.allSatisfy { $0.status == 202 })
    #expect(answers.count { $0.errorName == "client_deleted" } == 3)
    #expect(appliance.gateway.deliveryCount == 30)
  }

  /// As if a NAT had forgotten the connection: nothing comes back, not even an error.
  @Test(arguments: ["apns", "fcm"]) func aSilentConnectionIsNoticedAndItsPushDelivered(kind: String) throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(kind: kind)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    appliance.gateway.silenceConnections(at: Appliance.service(kind))
    let start = MonotonicTime.now()
    // The connection of the last push may be the other worker's.
    for index in 2...5 {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(index)")).status == 202)
    }
    // Well before the deadline of 25 s.
    #expect(MonotonicTime.now() - start < .seconds(22))
    #expect(appliance.gateway.deliveryCount == 5)
    #expect(try appliance.state(kind) == "ok")
  }

  @Test(arguments: ["apns", "fcm"]) func goAwaysUnderLoadLoseNothingAndRepeatNothing(kind: String) throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(kind: kind)
    let service = Appliance.service(kind)
    appliance.gateway.always(.serve.after(.milliseconds(5)), at: service)
    let pusher = try Offloaded {
      try Parallel.map(8) { thread in
        let client = appliance.client()
        return try (0..<50).map { index in
          try appliance.push(wallet.clientID, Appliance.raw("\(thread).\(index)"), over: client).status
        }
      }
    }
    for count in stride(from: 20, to: 380, by: 20) {
      while appliance.gateway.deliveryCount < count { sched_yield() }
      appliance.gateway.goAway(at: service)
    }
    #expect(try pusher.value().joined().allSatisfy { $0 == 202 })
    // What GOAWAY leaves unprocessed was not seen, and what was seen is answered: only a connection that
    // breaks, on a machine under load, makes a push come twice.
    let metrics = try appliance.client().send("GET", "/metrics").text
    let retries = metrics.split(separator: "\n").first { $0.hasPrefix("pushbox_gateway_retries_total ") }
    let repeated = retries?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    #expect(
      (400...400 + repeated).contains(appliance.gateway.deliveryCount),
      "\(repeated) retries, \(Self.repeats(appliance))")
  }

  /// Connection and stream of each push that came more than once.
  private static func repeats(_ appliance: Appliance) -> [[String]] {
    var places: [String?: [String]] = [:]
    for delivery in appliance.gateway.deliveries {
      let id =
        delivery.fields.first("apns-id") ?? delivery.payload["message"]?["data"]?["message"]?.stringValue
      places[id, default: []].append("\(delivery.connection).\(delivery.stream)")
    }
    return places.values.filter { $0.count > 1 }
  }

  @Test(arguments: ["apns", "fcm"]) func aStreamThatIsNeverAnsweredCostsThatPushAlone(kind: String) throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 2000" }
    try appliance.recover(kind: kind)
    let opened = appliance.gateway.counters(of: Appliance.service(kind)).connectionsOpened
    let stuck = try Offloaded { try appliance.aftermath(.neverAnswer, kind: kind) }
    let wallet = try appliance.registered(kind: kind)
    let client = appliance.client()
    for index in 0..<100 {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(index)"), over: client).status == 202)
    }
    #expect(
      try stuck.value()
        == Aftermath(status: 504, name: "gateway_timeout", isTombstoned: false, state: "ok"))
    // At most the other worker's.
    #expect(appliance.gateway.counters(of: Appliance.service(kind)).connectionsOpened <= opened + 1)
  }

  /// What does not end within the deadline: the relay is to try again, the registration stays.
  @Test(arguments: ["apns", "fcm"]) func faultsThatLastAreToldAndCostNoRegistration(kind: String) throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 3000" }
    try appliance.recover(kind: kind)
    let reactions: [(String, MockGateway.Reaction)] = [
      ("half-closed", .halfClose), ("garbage", .garbage), ("disconnect", .disconnect),
      ("GOAWAY", .goAway(.noError)), ("GOAWAY with an error", .goAway(.enhanceYourCalm)),
      ("REFUSED_STREAM", .reset(.refusedStream)), ("INTERNAL_ERROR", .reset(.internalError)),
      ("HTML 502", .html(502)), ("HTML 503", .html(503)),
    ]
    for (name, reaction) in reactions {
      var found = try appliance.aftermath(reaction, kind: kind)
      // By how many retries there was time for.
      #expect(["ok", "degraded", "unreachable"].contains(found.state), "\(name)")
      found.state = ""
      #expect(
        found == Aftermath(status: 502, name: "gateway_unavailable", isTombstoned: false, state: ""),
        "\(name)")
      try appliance.recover(kind: kind)
    }
  }

  @Test(arguments: ["apns", "fcm"]) func failuresInARowAreAStateAndTheFirstSuccessEndsIt(kind: String) throws
  {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    for _ in 0..<5 { #expect(try appliance.aftermath(.html(502), kind: kind).status == 502) }
    #expect(try appliance.state(kind) == "degraded")
    #expect(appliance.waitForLog("state=degraded"), "\(appliance.log)")
    try appliance.recover(kind: kind)
  }

  /// The token endpoint's certificate is part of FCM.
  @Test(arguments: [MockGateway.Service.apnsProduction, .fcm, .oauth])
  func faultsOfTLSAreTypedStatesWithAdvice(service: MockGateway.Service) throws {
    let kind = service == .apnsProduction ? "apns" : "fcm"
    let cases: [(MockGateway.ServerCertificate, words: String, advice: String)] = [
      (.expired, "it has expired", "clock"),
      (.otherHost, "it is for another host", "endpoint"),
      (.unknownAuthority, "no trusted authority issued it", "ca_file"),
    ]
    for (certificate, words, advice) in cases {
      let appliance = try Appliance { $0.push = "deadline_ms = 1500" }
      try appliance.gateway.setServerCertificate(certificate, at: service)
      let found = try appliance.aftermath(.serve, kind: kind)
      #expect(
        found
          == Aftermath(
            status: 502, name: "gateway_unavailable", isTombstoned: false, state: "unreachable"),
        "\(certificate)")
      #expect(appliance.waitForLog(words), "\(appliance.log)")
      #expect(appliance.waitForLog(advice), "\(appliance.log)")
      try appliance.gateway.setServerCertificate(.valid, at: service)
      // A token endpoint that failed is asked again after some seconds.
      let wallet = try appliance.registered(kind: kind)
      try #expect(appliance.pushesUntilAccepted(wallet, within: .seconds(30)))
      #expect(try appliance.state(kind) == "ok")
    }
  }

  @Test(arguments: [MockGateway.ConnectionFault.truncatedTLS, .garbage])
  func aPeerThatSpeaksNonsenseCostsItsConnection(fault: MockGateway.ConnectionFault) throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 6000" }
    let wallet = try appliance.registered()
    appliance.gateway.setConnectionFault(fault, at: .apnsProduction)
    let push = try Offloaded { try appliance.push(wallet.clientID, Appliance.raw("m")).status }
    while appliance.gateway.counters(of: .apnsProduction).connectionsAccepted < 2 { sched_yield() }
    appliance.gateway.setConnectionFault(nil, at: .apnsProduction)
    #expect(try push.value() == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }
}
