import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Who asks too often is told so, and nobody else suffers.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct LimitTests {
  private static func limited(_ lines: String, server: String = "") throws -> Appliance {
    try Appliance { settings in
      settings.server += "\n" + server
      settings.more += "\n[limits]\nexempt = []\n" + lines
    }
  }

  private func forwarded(_ address: String) -> (name: String, value: String) { ("x-forwarded-for", address) }

  private func register(
    _ client: BlockingHTTPClient, from address: String
  ) throws -> BlockingHTTPResponse {
    try client.send(
      "POST", "/clients", fields: [("content-type", "application/json"), forwarded(address)],
      body: MockWallet.body(
        clientID: try MockWallet().clientID, type: "apns", token: Appliance.apnsToken(), alwaysRaw: true))
  }

  @Test func registrationsAndDeletionsOfOneAddress() throws {
    let appliance = try Self.limited(
      "registrations_per_minute = 3\ndeletions_per_minute = 2", server: "trusted_proxies = [\"127.0.0.1\"]")
    let client = appliance.client()
    for _ in 0..<3 { #expect(try register(client, from: "192.0.2.1").status == 200) }
    let refused = try register(client, from: "9.9.9.9, 192.0.2.1")
    #expect(refused.status == 429)
    #expect(refused.errorName == "rate_limited")
    #expect(refused.json?["status"]?.stringValue == "FAILURE")
    #expect(refused.field("retry-after").flatMap { Int($0) }.map { (1...20).contains($0) } == true)
    #expect(try register(client, from: "192.0.2.2").status == 200)
    for _ in 0..<2 {
      #expect(try client.send("DELETE", "/clients/a", fields: [forwarded("2001:db8::1")]).status == 200)
    }
    #expect(try client.send("DELETE", "/clients/a", fields: [forwarded("2001:db8::2")]).status == 429)
    #expect(try client.send("DELETE", "/clients/a", fields: [forwarded("2001:db8:0:1::2")]).status == 200)
    let metrics = try client.send("GET", "/metrics").text
    #expect(metrics.contains("pushbox_requests_limited_total{kind=\"registration\"} 1\n"))
    #expect(metrics.contains("pushbox_requests_limited_total{kind=\"deletion\"} 1\n"))
  }

  @Test func withoutTrustedProxiesTheHeaderMakesNoDifference() throws {
    let appliance = try Self.limited("registrations_per_minute = 2")
    let client = appliance.client()
    #expect(try register(client, from: "192.0.2.1").status == 200)
    #expect(try register(client, from: "192.0.2.2").status == 200)
    #expect(try register(client, from: "192.0.2.3").status == 429)
  }

  @Test func aProxyThatIsNotConfiguredIsNamed() throws {
    let told = "X-Forwarded-For is ignored, since its sender is not in server.trusted_proxies"
    let appliance = try Self.limited("")
    let client = appliance.client()
    #expect(try client.send("GET", "/health").status == 200)
    #expect(!appliance.log.contains(told))
    for path in ["/health", "/clients/a", "/admin/api/session"] {
      _ = try client.send("GET", path, fields: [forwarded("192.0.2.1")])
    }
    #expect(appliance.waitForLog(told))
    #expect(
      try client.send("GET", "/metrics", fields: [forwarded("192.0.2.1")]).text
        .contains("pushbox_forwarded_ignored_total 4\n"))
    let lines = appliance.log.split(separator: "\n").filter { $0.contains(told) }
    #expect(lines.count == 1 && lines.first?.hasSuffix(" peer=127.0.0.1") == true, "\(lines)")
    // Once it is configured nothing is left to be said, and counted.
    try appliance.configure {
      $0.replacing("workers = 2", with: "workers = 2\ntrusted_proxies = [\"127.0.0.1\"]")
    }
    #expect(appliance.reload(1))
    #expect(
      try client.send("GET", "/metrics", fields: [forwarded("192.0.2.1")]).text
        .contains("pushbox_forwarded_ignored_total 4\n"))
    #expect(appliance.log.split(separator: "\n").count { $0.contains(told) } == 1)
  }

  /// A flood of wrong signatures from the relay's own address must not keep its pushes out.
  @Test func pushesThatVerifyAreNeverLimited() throws {
    let appliance = try Self.limited("failed_signatures_per_minute = 1")
    let wallet = try appliance.registered()
    let client = appliance.client()
    let stranger = try MockRelay()
    var statuses: [Int] = []
    for index in 0..<12 {
      let body = Appliance.raw("forged \(index)")
      let response = try client.send(
        "POST", "/clients/\(wallet.clientID)",
        fields: stranger.pushFields(body, timestamp: WallClock.seconds()),
        body: body)
      statuses.append(response.status)
      if response.status == 429 { #expect(response.field("retry-after") != nil) }
      #expect(try appliance.push(wallet.clientID, Appliance.raw("real \(index)"), over: client).status == 202)
    }
    #expect(statuses == [401] + [Int](repeating: 429, count: 11))
    #expect(appliance.gateway.deliveryCount == 12)
  }

  /// Each further wrong signature waits, so that a flood of them takes a small part of the processor.
  @Test func whoSentTooManyWrongSignaturesIsCheckedSlowly() throws {
    let appliance = try Self.limited("failed_signatures_per_minute = 1")
    let wallet = try appliance.registered()
    let client = appliance.client()
    let body = Appliance.raw("forged")
    let fields = try MockRelay().pushFields(body, timestamp: WallClock.seconds())
    func forge() throws -> Int {
      try client.send("POST", "/clients/\(wallet.clientID)", fields: fields, body: body).status
    }
    #expect(try forge() == 401)
    let start = MonotonicTime.now()
    for _ in 0..<200 { #expect(try forge() == 429) }
    // 2 ms each.
    #expect(MonotonicTime.now() - start >= .milliseconds(400))
  }

  @Test func limitsChangeWithAReload() throws {
    let appliance = try Self.limited("registrations_per_minute = 1")
    let client = appliance.client()
    #expect(try register(client, from: "").status == 200)
    #expect(try register(client, from: "").status == 429)
    try appliance.configure {
      $0.replacing("registrations_per_minute = 1", with: "registrations_per_minute = 0")
    }
    appliance.signal(1)
    #expect(appliance.waitForLog("configuration reloaded"))
    #expect(try register(client, from: "").status == 200)
  }
}
