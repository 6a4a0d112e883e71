import EventLoop
import Glibc
import HTTP
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Every way a gateway can refuse: what the relay gets, what the store holds, what the status says.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct GatewayFaultTests {
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
    try appliance.recover()
    for reason in MockGateway.APNsReason.allCases {
      let timestamp = reason.status == 410 ? WallClock.milliseconds() + 1000 : nil
      #expect(
        try appliance.aftermath(.apns(reason, timestamp: timestamp)) == Self.expected(reason),
        "\(reason.rawValue)")
      try appliance.recover()
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
      Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "ok")
    }
  }

  @Test func everyErrorOfFCM() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    try appliance.recover(kind: "fcm")
    for code in MockGateway.FCMErrorCode.allCases {
      #expect(try appliance.aftermath(.fcm(code), kind: "fcm") == Self.expected(code), "\(code.rawValue)")
      try appliance.recover(kind: "fcm")
    }
    // A proxy's page is decided by its status.
    #expect(
      try appliance.aftermath(.html(502), kind: "fcm")
        == Aftermath(status: 502, name: "gateway_unavailable", isTombstoned: false, state: "ok"))
  }

  @Test func iPhonesThatFirebaseCannotReachCostNoAndroidItsPush() throws {
    let appliance = try Appliance()
    let token = Appliance.fcmToken()
    let iphone = try appliance.registered(type: "fcm", token: token)
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    appliance.gateway.always(.fcm(.thirdPartyAuthError), at: .fcm, deviceToken: token)
    for number in 0..<10 {
      #expect(try appliance.push(iphone.clientID, Appliance.raw("i\(number)")).status == 424)
      #expect(try appliance.push(android.clientID, Appliance.raw("a\(number)")).status == 202)
    }
    for number in 10..<20 {
      #expect(try appliance.push(iphone.clientID, Appliance.raw("i\(number)")).status == 424)
    }
    #expect(try appliance.push(android.clientID, Appliance.raw("last")).status == 202)
    #expect(try appliance.client().send("GET", "/ready").status == 200)
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

  /// RFC 9110 section 10.2.3: seconds or a date.
  @Test(arguments: ["apns", "fcm"]) func aDateToRetryAfterIsOne(kind: String) throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 6000" }
    func busy(until seconds: UInt64) -> MockGateway.Reaction {
      .answer(
        HTTPResponse(
          status: 429,
          fields: [
            HTTPField("retry-after", HTTPDate.text(secondsSinceEpoch: WallClock.seconds() + seconds))
          ], body: []))
    }
    let wallet = try appliance.registered(kind: kind)
    appliance.gateway.next(1, busy(until: 30), at: Appliance.service(kind))
    let response = try appliance.push(wallet.clientID, Appliance.raw("m"))
    #expect(response.status == 503)
    #expect(response.errorName == "gateway_busy")
    #expect((25...30).contains(response.field("retry-after").flatMap { Int($0) } ?? 0))
    #expect(try appliance.state(kind) != "rejected")
    // A wait that fits into the deadline is waited for.
    appliance.gateway.next(1, busy(until: 3), at: Appliance.service(kind))
    let start = MonotonicTime.now()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("n")).status == 202)
    #expect(MonotonicTime.now() - start > .milliseconds(1000))
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

  // MARK: Credentials

  @Test(arguments: [
    ("disabled_client", "the service account is disabled: enable it in the Google Cloud console"),
    ("invalid_grant", "download a new key file from the Firebase console"),
    ("unauthorized_client", "check in the Google Cloud console that it exists and is enabled"),
    ("invalid_scope", "check its roles"),
  ])
  func aServiceAccountThatIsRefusedIsAStateInPlainWords(error: String, words: String) throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(kind: "fcm")
    appliance.gateway.always(.oauth(error), at: .oauth)
    let answer = try appliance.push(wallet.clientID, Appliance.raw("m"))
    #expect(answer.status == 424)
    #expect(answer.errorName == "gateway_rejected")
    #expect(answer.text.contains(error))
    #expect(try appliance.state("fcm") == "rejected")
    #expect(appliance.waitForLog(words), "\(appliance.log)")
    #expect(try appliance.tombstones() == 0)
    #expect(appliance.gateway.counters(of: .fcm).requests == 0)
    // An iPhone's push is none of its business.
    try appliance.recover()
    // Once the operator has mended it, pushes go through again by themselves.
    appliance.gateway.clearReactions()
    try #expect(appliance.pushesUntilAccepted(wallet, within: .seconds(20)))
    #expect(try appliance.state("fcm") == "ok")
  }

  @Test func aTokenEndpointThatFailsIsAnOutageOfFCM() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 1000" }
    let wallet = try appliance.registered(kind: "fcm")
    let reactions: [(String, MockGateway.Reaction)] = [
      ("HTML 502", .html(502)), ("disconnect", .disconnect), ("garbage", .garbage),
      ("silence", .neverAnswer),
    ]
    for (name, reaction) in reactions {
      appliance.gateway.always(reaction, at: .oauth)
      let status = try appliance.push(wallet.clientID, Appliance.raw(name)).status
      #expect(status == 502 || status == 504, "\(name)")
      #expect(try appliance.state("fcm") != "rejected", "\(name)")
    }
    #expect(try appliance.tombstones() == 0)
    appliance.gateway.clearReactions()
    try #expect(appliance.pushesUntilAccepted(wallet, within: .seconds(30)))
  }

  @Test func anAccessTokenRevokedWithinItsFirstMinuteCostsNoPush() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(kind: "fcm")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    appliance.gateway.revokeAccessTokens()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    #expect(appliance.gateway.deliveries.count == 2)
    // Once more within a minute: fetching again and again would not help, and no registration is at fault.
    appliance.gateway.revokeAccessTokens()
    let answer = try appliance.push(wallet.clientID, Appliance.raw("3"))
    #expect(answer.status == 424, "\(answer.text)")
    #expect(try appliance.tombstones() == 0)
  }

  @Test func refusedCredentialsThatAreMendedServeWithinSeconds() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.always(.apns(.topicDisallowed), at: .apnsProduction)
    let client = appliance.client()
    let start = MonotonicTime.now()
    // Long enough for the pauses between probes to have grown.
    while MonotonicTime.now() - start < .seconds(4) {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("1"), over: client).status == 424)
    }
    // Probes only: Apple does not like to be asked again and again.
    #expect(appliance.gateway.counters(of: .apnsProduction).requests < 10)
    #expect(try appliance.state("apns") == "rejected")
    appliance.gateway.serveNormally(at: .apnsProduction)
    try #expect(appliance.pushesUntilAccepted(wallet, within: .seconds(10)))
    #expect(try appliance.state("apns") == "ok")
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
      try appliance.aftermath(.serve)
        == Aftermath(status: 424, name: "gateway_rejected", isTombstoned: false, state: "rejected"))
    #expect(appliance.waitForLog("our push certificate has expired"), "\(appliance.log)")
  }
}
