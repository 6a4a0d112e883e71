import Bytes
import Crypto
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ReloadTests {
  /// The promise of a reload, at length: good and broken files in turn, a new APNs key and a new key of the
  /// service account with each good one, the old ones revoked, pushes all the while.
  @Test func twoHundredReloadsUnderLoadLoseNoPush() throws {
    let appliance = try Appliance { $0.more = "[log]\nlevel = \"info\"" }
    let wallets = try ["apns", "fcm"].map {
      try appliance.registered(type: $0, token: $0 == "fcm" ? Appliance.fcmToken() : Appliance.apnsToken())
    }
    // So that every swap meets pushes under way.
    appliance.gateway.always(.serve.after(.milliseconds(3)), at: .apnsProduction)
    let isOver = Flag()
    let load = try Background(4) { index in
      let client = appliance.client()
      var statuses: [Int: Int] = [:]
      var count = 0
      while !isOver.isSet {
        count += 1
        let response = try appliance.push(
          wallets[index % 2].clientID, Appliance.raw("\(index)-\(count)"), over: client)
        statuses[response.status, default: 0] += 1
      }
      return statuses
    }
    defer { isOver.set() }
    var keyID = appliance.gateway.credentials.apnsKeyID
    var accountKeyID = appliance.gateway.credentials.serviceAccountKeyID
    // Making one takes long; under another ID it is another key to both sides.
    let accountKeys = [try RSAPrivateKey.generate(), try RSAPrivateKey.generate()]
    for attempt in 1...200 {
      let isBroken = attempt % 2 == 0
      if isBroken {
        try appliance.folder.write("config.toml", Self.broken(attempt / 2, appliance))
      } else {
        let account = try appliance.gateway.addServiceAccountKey(
          accountKeys[attempt / 2 % 2], id: Self.keyID(attempt))
        try appliance.folder.write("service-account.json", String(decoding: account, as: UTF8.self))
        try appliance.rotate(to: Self.keyID(attempt))
      }
      #expect(appliance.reload(attempt) == !isBroken, "\(attempt): \(appliance.log.suffix(600))")
      if !isBroken {
        // Pushes that were at the gateway with the old key must not suffer either.
        appliance.gateway.revokeAPNsKey(id: keyID)
        keyID = Self.keyID(attempt)
        appliance.gateway.revokeServiceAccountKey(id: accountKeyID)
        accountKeyID = keyID
      }
    }
    isOver.set()
    var total: [Int: Int] = [:]
    for statuses in try load.results() { total.merge(statuses, uniquingKeysWith: +) }
    #expect(total.keys.sorted() == [202], "\(total)")
    // More than reloads, even under a sanitizer.
    #expect(total[202, default: 0] > 200, "\(total)")
    #expect(appliance.gateway.deliveryCount == total[202])
    #expect(!appliance.log.contains("PRIVATE KEY"))
    // The keys of the files were used, not only read.
    #expect(appliance.gateway.counters(of: .oauth).requests > 50, "\(appliance.gateway.counters(of: .oauth))")
  }

  /// Ten characters, as Apple's.
  private static func keyID(_ attempt: Int) -> String { "ROTATED" + String(1000 + attempt).suffix(3) }

  /// Each of the ways in which a file can be bad.
  private static func broken(_ index: Int, _ appliance: Appliance) throws -> String {
    let good = appliance.settings.text
    switch index % 7 {
    case 0: return good + "\n[apns"
    case 1: return good.replacing("[push]", with: "[push]\ndeadlin_ms = 1000")
    case 2: return good.replacing("key_file = \"apns.p8\"", with: "key_file = \"absent.p8\"")
    case 3:
      try appliance.folder.write(
        "garbage.p8", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
      return good.replacing("key_file = \"apns.p8\"", with: "key_file = \"garbage.p8\"")
    case 4: return good.replacing("path = \"data\"", with: "path = \"elsewhere\"")
    case 5:
      // Another's port.
      return good.replacing(
        "listen = \"127.0.0.1:0\"",
        with: "listen = [\"127.0.0.1:0\", \"\(appliance.gateway.authority(of: .fcm))\"]")
    default: return ""
    }
  }

  @Test func aBrokenFileIsNamedWithItsPlaceAndChangesNothing() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let text = appliance.settings.text.replacing("[push]", with: "[push]\ndeadline_ms = \"never\"")
    try appliance.folder.write("config.toml", text)
    #expect(!appliance.reload(1))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.hasPrefix("deadline_ms") }) + 1
    #expect(appliance.waitForLog("config.toml:\(line):15: push.deadline_ms: "), "\(appliance.log)")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  @Test func whatNeedsARestartIsNamed() throws {
    let appliance = try Appliance()
    try appliance.folder.write(
      "config.toml",
      appliance.settings.text.replacing("path = \"data\"", with: "path = \"other\"")
        .replacing("workers = 2", with: "workers = 3"))
    #expect(!appliance.reload(1))
    #expect(appliance.waitForLog("server.workers ("), "\(appliance.log)")
    #expect(appliance.waitForLog("store.path ("), "\(appliance.log)")
    #expect(try appliance.client().send("GET", "/health").status == 200)
  }

  @Test func newSettingsAreInEffectForTheNextRequest() throws {
    let appliance = try Appliance()
    let wallet = try MockWallet()
    let client = appliance.client()
    try appliance.folder.write(
      "config.toml",
      appliance.settings.text.replacing("[store]", with: "[clients]\nauth = \"required\"\n\n[store]")
        .replacing("http://localhost", with: "http://localhost/base"))
    // Registers on a connection that stays open over the reload.
    #expect(
      try appliance.register(wallet.clientID, token: Appliance.apnsToken(), over: client).status == 200)
    #expect(appliance.reload(1), "\(appliance.log)")
    #expect(
      try appliance.register(wallet.clientID, token: Appliance.apnsToken(), over: client).status == 401)
    #expect(try client.send("GET", "/base/health").status == 200)
  }

  @Test func aGatewayCanBeTakenAwayAndComeBack() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    var without = appliance.settings
    without.omitsFCM = true
    try without.write()
    #expect(appliance.reload(1), "\(appliance.log)")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 400)
    try appliance.settings.write()
    #expect(appliance.reload(2), "\(appliance.log)")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  @Test func aGatewayThatIsAddedHasItsMetricsOnce() throws {
    let appliance = try Appliance { $0.omitsFCM = true }
    let line = #"pushbox_gateway_state{gateway="fcm",state="unused"} 1.0"#
    func occurrences() throws -> Int {
      try appliance.client().send("GET", "/metrics").text.split(separator: "\n").count { $0 == line }
    }
    #expect(try occurrences() == 0)
    var with = appliance.settings
    with.omitsFCM = false
    for attempt in 1...2 {
      try with.write()
      #expect(appliance.reload(attempt), "\(appliance.log)")
      #expect(try occurrences() == 1)
    }
  }

  @Test func anExpiredPushCertificateReplacesNoGoodOne() throws {
    let appliance = try Appliance(gateway: { $0.requiresClientCertificate = true }) { settings, gateway in
      settings.certificate = try gateway.issueClientCertificate(topic: gateway.credentials.apnsTopic)
    }
    let wallet = try appliance.registered()
    var expired = appliance.settings
    expired.certificate = try appliance.gateway.issueClientCertificate(
      topic: appliance.gateway.credentials.apnsTopic, isExpired: true)
    try expired.write()
    #expect(!appliance.reload(1))
    #expect(appliance.waitForLog("apns.certificate: the push certificate has expired"))
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  @Test func anUnchangedKeyKeepsItsProviderToken() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    // Apple refuses a second token within 20 minutes.
    appliance.gateway.setLimitsTokenUpdates(true)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("0")).status == 202)
    for attempt in 1...3 {
      // A new token would have another time in it.
      sleep(1)
      try appliance.folder.write(
        "config.toml",
        appliance.settings.text.replacing(
          "ca_file = \"ca.pem\"\n", with: "ca_file = \"ca.pem\"\nmax_connections = \(attempt)\n",
          maxReplacements: 1))
      #expect(appliance.reload(attempt), "\(appliance.log)")
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(attempt)")).status == 202)
    }
  }

  @Test func aNewKeyMendsAGatewayThatRefusedUs() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.revokeAPNsKey(id: appliance.gateway.credentials.apnsKeyID)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 424)
    try appliance.rotate(to: "NEWKEY1234")
    #expect(appliance.reload(1), "\(appliance.log)")
    // At once, and for all of several pushes: what was known of the old key is forgotten.
    let statuses = try Parallel.map(4) {
      try appliance.push(wallet.clientID, Appliance.raw("after-\($0)")).status
    }
    #expect(statuses == [202, 202, 202, 202])
  }

  @Test func anAddressGivenInAnotherWayGoesOn() throws {
    let appliance = try Appliance()
    let port = appliance.port
    try appliance.folder.write(
      "config.toml", appliance.settings.text.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)"))
    #expect(appliance.reload(1), "\(appliance.log)")
    #expect(try BlockingHTTPClient(port: port).send("GET", "/health").status == 200)
    #expect(appliance.reload(2), "\(appliance.log)")
    #expect(try BlockingHTTPClient(port: port).send("GET", "/health").status == 200)
  }

  @Test func listenersMoveWithoutLosingARequest() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let old = appliance.client()
    let oldPort = appliance.port
    appliance.gateway.always(.serve.after(.milliseconds(300)), at: .apnsProduction)
    let underWay = try Background(1) { _ in try appliance.push(wallet.clientID, Appliance.raw("1")).status }
    while appliance.gateway.counters(of: .apnsProduction).requests == 0 {}
    try appliance.folder.write(
      "config.toml", appliance.settings.text.replacing("127.0.0.1:0", with: "127.0.0.2:0"))
    #expect(appliance.reload(1), "\(appliance.log)")
    #expect(try underWay.results() == [202])
    #expect(appliance.waitForLog("address=127.0.0.2:"), "\(appliance.log)")
    #expect(throws: BlockingHTTPError.self) {
      try BlockingHTTPClient(port: oldPort, timeoutSeconds: 2).send("GET", "/health")
    }
    let moved = try #require(appliance.port(of: "127.0.0.2"))
    #expect(
      try BlockingHTTPClient(host: "127.0.0.2", port: moved).send("GET", "/health").status == 200)
    old.disconnect()
  }
}

extension Appliance {
  /// Makes a new APNs key known to the gateway, and writes it and a configuration that names it.
  func rotate(to keyID: String) throws {
    let key = try P256PrivateKey.generate()
    try gateway.addAPNsKey(key, id: keyID)
    try folder.write("\(keyID).p8", key.pem())
    try folder.write(
      "config.toml",
      settings.text.replacing("\"apns.p8\"", with: "\"\(keyID).p8\"")
        .replacing("\"\(gateway.credentials.apnsKeyID)\"", with: "\"\(keyID)\""))
  }

  /// Sends SIGHUP for the `attempt`th time and waits for what comes of it: whether the configuration changed.
  func reload(_ attempt: Int) -> Bool {
    signal(SIGHUP)
    guard waitForLog(" attempt=\(attempt)\n"), let end = log.firstRange(of: " attempt=\(attempt)\n") else {
      return false
    }
    let line = log[..<end.lowerBound].split(separator: "\n").last ?? ""
    return line.contains("configuration reloaded")
  }

  func port(of ip: String) -> UInt16? {
    guard let start = log.firstRange(of: "address=\(ip):")?.upperBound else { return nil }
    return UInt16(log[start...].prefix { $0.isNumber })
  }
}

/// Blocking work on threads of its own, while the test goes on.
struct Background<Value: Sendable> {
  private let rendezvous: [Rendezvous<Result<Value, any Error>>]

  init(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Value) throws {
    rendezvous = try (0..<count).map { index in
      let result = Rendezvous<Result<Value, any Error>>()
      try SystemThread(name: "background-\(index)") { result.give(Result { try body(index) }) }.detach()
      return result
    }
  }

  /// Waits for all.
  func results() throws -> [Value] { try rendezvous.map { try $0.wait().get() } }
}

/// Tells background work to end.
private final class Flag: Sendable {
  private let value = Locked(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
