import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What became of a push to a fresh client: the relay's answer, the registration, the gateway's state.
private struct Aftermath: Equatable {
  var status: Int
  var name: String?
  var isTombstoned: Bool
  var state: String
}

/// Every way a gateway can refuse: what the relay gets, what the store holds, what the status says.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(5))) struct GatewayFaultTests {
  private func state(_ appliance: Appliance, _ kind: String) throws -> String {
    let status = try appliance.client().send("GET", "/status")
    return status.json?["gateways"]?[kind]?.stringValue ?? "?"
  }

  private func tombstones(_ appliance: Appliance) throws -> UInt64 {
    let status = try appliance.client().send("GET", "/status")
    return status.json?["registrations"]?["tombstoned"]?.uint64Value ?? .max
  }

  /// Pushes once to a new client while `reaction` is in force for its device.
  private func aftermath(
    _ appliance: Appliance, _ reaction: MockGateway.Reaction, kind: String = "apns"
  ) throws -> Aftermath {
    let token = kind == "fcm" ? Appliance.fcmToken() : Appliance.apnsToken()
    let service: MockGateway.Service = kind == "fcm" ? .fcm : .apnsProduction
    let wallet = try appliance.registered(type: kind, token: token)
    let before = try tombstones(appliance)
    appliance.gateway.always(reaction, at: service, deviceToken: token)
    let response = try appliance.push(wallet.clientID, Appliance.raw("m"))
    appliance.gateway.serveNormally(at: service, deviceToken: token)
    return Aftermath(
      status: response.status, name: response.errorName, isTombstoned: try tombstones(appliance) > before,
      state: try state(appliance, kind))
  }

  /// A push that goes through, so that the next case begins with a gateway that is well.
  private func recover(_ appliance: Appliance, kind: String = "apns") throws {
    let wallet = try appliance.registered(
      type: kind, token: kind == "fcm" ? Appliance.fcmToken() : Appliance.apnsToken())
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    #expect(try state(appliance, kind) == "ok")
  }

  private static func expected(_ reason: MockGateway.APNsReason) -> Aftermath {
    switch reason {
    case .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken:
      Aftermath(status: 202, name: "client_deleted", isTombstoned: true, state: "ok")
    case .payloadTooLarge:
      Aftermath(status: 413, name: "payload_too_large", isTombstoned: false, state: "ok")
    case .tooManyRequests, .tooManyProviderTokenUpdates:
      Aftermath(status: 503, name: "gateway_busy", isTombstoned: false, state: "ok")
    case .internalServerError, .serviceUnavailable, .shutdown, .idleTimeout:
      Aftermath(status: 502, name: "gateway_unavailable", isTombstoned: false, state: "ok")
    case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders,
      .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed:
      // Our fault and this push's alone.
      Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "ok")
    case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
      .badEnvironmentKeyInToken, .expiredProviderToken, .forbidden, .invalidProviderToken,
      .missingProviderToken, .unrelatedKeyIDInToken:
      Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "rejected")
    }
  }

  @Test func everyReasonOfAPNs() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    try recover(appliance)
    for reason in MockGateway.APNsReason.allCases {
      let timestamp = reason.status == 410 ? WallClock.milliseconds() + 1000 : nil
      #expect(
        try aftermath(appliance, .apns(reason, timestamp: timestamp)) == Self.expected(reason),
        "\(reason.rawValue)")
      try recover(appliance)
    }
  }

  private static func expected(_ code: MockGateway.FCMErrorCode) -> Aftermath {
    switch code {
    case .invalidArgument, .unregistered, .senderIDMismatch:
      Aftermath(status: 202, name: "client_deleted", isTombstoned: true, state: "ok")
    case .quotaExceeded:
      Aftermath(status: 503, name: "gateway_busy", isTombstoned: false, state: "ok")
    case .unavailable, .internal:
      Aftermath(status: 502, name: "gateway_unavailable", isTombstoned: false, state: "ok")
    case .thirdPartyAuthError:
      Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "rejected")
    }
  }

  @Test func everyErrorOfFCM() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    try recover(appliance, kind: "fcm")
    for code in MockGateway.FCMErrorCode.allCases {
      #expect(try aftermath(appliance, .fcm(code), kind: "fcm") == Self.expected(code), "\(code.rawValue)")
      try recover(appliance, kind: "fcm")
    }
    // A proxy's page is decided by its status.
    #expect(
      try aftermath(appliance, .html(502), kind: "fcm")
        == Aftermath(status: 502, name: "gateway_unavailable", isTombstoned: false, state: "ok"))
  }

  @Test func throttlingIsToldWithItsTime() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 2000" }
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.always(.apns(.tooManyRequests, retryAfter: 7), at: .apnsProduction)
    appliance.gateway.always(.fcm(.quotaExceeded, retryAfter: 9), at: .fcm)
    for (wallet, seconds) in [(iphone, "7"), (android, "9")] {
      let response = try appliance.push(wallet.clientID, Appliance.raw("m"))
      #expect(response.status == 503)
      #expect(response.field("retry-after") == seconds)
    }
    // A wait that fits into the deadline is waited for.
    appliance.gateway.clearReactions()
    appliance.gateway.next(1, .fcm(.quotaExceeded, retryAfter: 1), at: .fcm)
    #expect(try appliance.push(android.clientID, Appliance.raw("m")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aRetryIsByteIdenticalAndFoldsIntoOneBanner() throws {
    let appliance = try Appliance()
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    // The gateway takes the push and its answer is lost; the retry comes a second later.
    appliance.gateway.next(1, .fcm(.unavailable, retryAfter: 1).afterAccepting, at: .fcm)
    appliance.gateway.next(1, .apns(.serviceUnavailable, retryAfter: 1).afterAccepting, at: .apnsProduction)
    for wallet in [iphone, android] {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    }
    let deliveries = appliance.gateway.deliveries
    try #require(deliveries.count == 4)
    for pair in [deliveries[0...1], deliveries[2...3]] {
      #expect(pair.first?.payload == pair.last?.payload)
    }
    for name in ["apns-id", "apns-collapse-id", "apns-expiration"] {
      let values = deliveries[0...1].map { $0.fields.first(name) }
      #expect(values[0] != nil && values[0] == values[1], "\(name)")
    }
    let expiration = deliveries[0].fields.first("apns-expiration").flatMap { UInt64($0) } ?? 0
    #expect((240...300).contains(expiration - min(expiration, WallClock.seconds())))
    #expect(deliveries[2].payload["message"]?["android"]?["ttl"]?.stringValue == "300s")
  }

  // MARK: Connections

  @Test func brokenStreamsAndConnectionsLoseNoPush() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let client = appliance.client()
    let reactions: [(String, MockGateway.Reaction)] = [
      ("half-closed", .halfClose), ("garbage", .garbage), ("disconnect", .disconnect),
      ("GOAWAY", .goAway(.noError)), ("GOAWAY with an error", .goAway(.enhanceYourCalm)),
      ("REFUSED_STREAM", .reset(.refusedStream)), ("INTERNAL_ERROR", .reset(.internalError)),
      ("slow", .serve.after(.milliseconds(300))),
    ]
    for (index, (name, reaction)) in reactions.enumerated() {
      appliance.gateway.next(1, reaction, at: .apnsProduction)
      let response = try appliance.push(wallet.clientID, Appliance.raw("\(index)"), over: client)
      #expect(response.status == 202, "\(name): \(response.text)")
      #expect(appliance.gateway.deliveryCount == index + 1, "\(name)")
      #expect(try state(appliance, "apns") == "ok", "\(name)")
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

  @Test func aSilentConnectionIsNoticedAndItsPushDelivered() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    // As if a NAT had forgotten it.
    appliance.gateway.silenceConnections(at: .apnsProduction)
    let start = MonotonicTime.now()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    // Well before the deadline of 25 s.
    #expect(MonotonicTime.now() - start < .seconds(20))
    #expect(appliance.gateway.deliveryCount == 2)
  }

  @Test func faultsOfTLSAreTypedStatesWithAdvice() throws {
    let cases: [(MockGateway.ServerCertificate, words: String, advice: String)] = [
      (.expired, "it has expired", "clock"),
      (.otherHost, "it is for another host", "endpoint"),
      (.unknownAuthority, "no trusted authority issued it", "ca_file"),
    ]
    for (certificate, words, advice) in cases {
      let appliance = try Appliance { $0.push = "deadline_ms = 1500" }
      try appliance.gateway.setServerCertificate(certificate, at: .apnsProduction)
      let found = try aftermath(appliance, .serve)
      #expect(
        found
          == Aftermath(
            status: 502, name: "gateway_unavailable", isTombstoned: false, state: "unreachable"),
        "\(certificate)")
      #expect(appliance.waitForLog(words), "\(appliance.log)")
      #expect(appliance.waitForLog(advice), "\(appliance.log)")
      try appliance.gateway.setServerCertificate(.valid, at: .apnsProduction)
      try recover(appliance)
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

  // MARK: OAuth

  @Test func aDisabledAccountIsAStateInPlainWords() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.always(.oauth("disabled_client"), at: .oauth)
    let answer = try appliance.push(wallet.clientID, Appliance.raw("m"))
    #expect(answer.status == 424)
    #expect(try state(appliance, "fcm") == "rejected")
    #expect(appliance.waitForLog("the service account is disabled"), "\(appliance.log)")
    #expect(try tombstones(appliance) == 0)
    // An iPhone's push is none of its business.
    try recover(appliance)
  }

  // MARK: One gateway's trouble

  @Test func aBlackHoleLeavesTheOtherGatewaysRateAndLatencyAlone() throws {
    func run(_ appliance: Appliance) throws -> (statuses: [Int], longest: Duration) {
      let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
      let times = try Parallel.map(4) { thread in
        let client = appliance.client()
        return try (0..<100).map { index -> (Int, Duration) in
          let start = MonotonicTime.now()
          let body = Appliance.raw("\(MonotonicTime.now().nanoseconds).\(thread).\(index)")
          let status = try appliance.push(android.clientID, body, over: client).status
          return (status, MonotonicTime.now() - start)
        }
      }.flatMap { $0 }
      let sorted = times.map(\.1).sorted()
      return (times.map(\.0), sorted[sorted.count * 95 / 100])
    }
    let appliance = try Appliance { $0.push = "deadline_ms = 4000" }
    let iphone = try appliance.registered()
    let quiet = try run(appliance)
    #expect(quiet.statuses.allSatisfy { $0 == 202 })
    appliance.gateway.setBlackHole(true, at: .apnsProduction)
    let stuck = try Offloaded {
      try Parallel.map(100) { try appliance.push(iphone.clientID, Appliance.raw("\($0)")).status }
    }
    while appliance.gateway.counters(of: .apnsProduction).connectionsAccepted < 1 { sched_yield() }
    let beside = try run(appliance)
    #expect(beside.statuses.allSatisfy { $0 == 202 })
    // Generous: the machine is shared. A queue in common would cost seconds.
    #expect(beside.longest < quiet.longest * 5 + .milliseconds(100))
    #expect(try stuck.value().allSatisfy { $0 >= 500 })
    appliance.gateway.setBlackHole(false, at: .apnsProduction)
  }

  // MARK: Certificates

  @Test func aClientCertificateStandsForUs() throws {
    let appliance = try Appliance(
      gateway: { $0.requiresClientCertificate = true },
      settings: { settings, gateway in
        settings.certificate = try gateway.issueClientCertificate(topic: gateway.credentials.apnsTopic)
      })
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    let delivery = try #require(appliance.gateway.deliveries.first)
    #expect(delivery.fields.first("authorization") == nil)
    #expect(delivery.fields.first("apns-topic") == appliance.gateway.credentials.apnsTopic)
  }

  @Test func anExpiredClientCertificateIsARefusal() throws {
    let appliance = try Appliance(
      gateway: { $0.requiresClientCertificate = true },
      settings: { settings, gateway in
        settings.push = "deadline_ms = 1500"
        settings.certificate = try gateway.issueClientCertificate(
          topic: "com.example.wallet", isExpired: true)
      })
    #expect(
      try aftermath(appliance, .serve)
        == Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "rejected"))
    #expect(appliance.waitForLog("our push certificate has expired"), "\(appliance.log)")
  }
}

/// Work on a thread of its own, whose result is waited for.
private struct Offloaded<Value: Sendable> {
  private let result = Rendezvous<Result<Value, any Error>>()

  init(_ body: @escaping @Sendable () throws -> Value) throws {
    let result = self.result
    try SystemThread(name: "background") { result.give(Result { try body() }) }.detach()
  }

  func value() throws -> Value { try result.wait().get() }
}
