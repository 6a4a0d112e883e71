import MockGateway
import MockRelay
import TestSupport
import Testing

/// What `pushbox check` says of push certificates, and how it reaches the gateways.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct CheckGatewayTests {
  private func check(
    topic: String = "com.example.wallet", isExpired: Bool = false,
    _ environments: Set<MockGateway.PushEnvironment> = [.sandbox, .production], more: String = ""
  ) throws -> (status: Int32, text: String) {
    let bench = try CheckBench { settings, gateway in
      settings.certificate = try gateway.issueClientCertificate(
        topic: "com.example.wallet", isExpired: isExpired, environments: environments)
    }
    if !more.isEmpty { try bench.change("certificate_file", more + "\ncertificate_file") }
    return try bench.check()
  }

  @Test func factsOfAPushCertificate() throws {
    let (status, text) = try check()
    #expect(status == 0, "\(text)")
    #expect(
      text.contains("apns.certificate: push, topic com.example.wallet, for production and sandbox: "),
      "\(text)")
    #expect(text.contains("good for 30 days") || text.contains("expires in 29 days"), "\(text)")
  }

  @Test func aPushCertificateThatCannotServe() throws {
    let (status, text) = try check(isExpired: true)
    #expect(status == 2)
    #expect(text.contains("expired; make a new one in Apple's developer portal"), "\(text)")
    let sandbox = try check([.sandbox]).text
    #expect(sandbox.contains("is for the sandbox only"), "\(sandbox)")
    let other = try check([]).text
    #expect(other.contains("has no mark of a push certificate"), "\(other)")
    let mismatch = try check(more: "topic = \"com.example.other\"").text
    #expect(
      mismatch.contains("apns.topic: is com.example.other, but the certificate is for com.example.wallet"),
      "\(mismatch)")
    // A topic of the same app, such as that of calls.
    let voip = try check(more: "topic = \"com.example.wallet.voip\"").text
    #expect(!voip.contains("but the certificate is for"), "\(voip)")
  }

  @Test func onlineGoesThroughTheProxy() throws {
    let proxy = try ConnectProxy(credentials: "user:secret")
    let bench = try CheckBench { settings, _ in
      settings.more = "\n[outbound]\nproxy = \"http://user:secret@127.0.0.1:\(proxy.port)\""
    }
    for service in [MockGateway.Service.apnsProduction, .apnsSandbox] {
      bench.gateway.always(.apns(.badDeviceToken), at: service)
    }
    let (status, text) = try bench.check("--online")
    #expect(status == 0, "\(text)")
    let services: [MockGateway.Service] = [.apnsProduction, .apnsSandbox, .fcm, .oauth]
    #expect(
      Set(proxy.requests) == Set(services.map { "CONNECT \(bench.gateway.authority(of: $0)) HTTP/1.1" }))
  }

  @Test func onlineBesideAServerPresentsTheServersToken() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    let (_, text) = try appliance.command("check", "--online")
    let authorizations = Set(appliance.gateway.deliveries.compactMap { $0.fields.first("authorization") })
    #expect(appliance.gateway.deliveries.count >= 2, "\(text)")
    #expect(authorizations.count == 1)
  }

  @Test(arguments: [
    (MockGateway.ServerCertificate.expired, "check this machine's clock"),
    (.unknownAuthority, "set ca_file"), (.otherHost, "check the configured endpoint"),
  ])
  func onlineSaysWhatToDoAboutTLS(certificate: MockGateway.ServerCertificate, advice: String) throws {
    let bench = try CheckBench()
    try bench.gateway.setServerCertificate(certificate, at: .apnsProduction)
    let (status, text) = try bench.check("--online")
    #expect(status == 2)
    #expect(text.contains("apns: can't be reached: 127.0.0.1:"), "\(text)")
    #expect(text.contains(advice), "\(text)")
  }

  @Test func onlineWithACertificateThatIsRefused() throws {
    var mock = MockGateway.Configuration()
    mock.requiresClientCertificate = true
    let bench = try CheckBench(mock) { settings, gateway in
      settings.certificate = try gateway.issueClientCertificate(topic: "com.example.wallet", isExpired: true)
    }
    let (status, text) = try bench.check("--online")
    #expect(status == 2)
    #expect(text.contains("our push certificate has expired"), "\(text)")
  }
}
