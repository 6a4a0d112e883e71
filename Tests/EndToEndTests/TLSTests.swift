import Crypto
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// pushbox with a certificate of its own, without a reverse proxy.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct TLSTests {
  private let authority: LoopbackCertificateAuthority
  private let validity: Range<Int>

  init() throws {
    let now = Int(WallClock.seconds())
    validity = (now - 60)..<(now + 86_400 * 40 + 3600)
    authority = try LoopbackCertificateAuthority(validity: validity)
  }

  private func leaf(_ validity: Range<Int>? = nil) throws -> IssuedCertificate {
    try authority.issue(names: ["127.0.0.1", "localhost"], validity: validity ?? self.validity)
  }

  private func install(_ certificate: IssuedCertificate, in folder: TemporaryFolder) throws {
    try folder.write("tls.pem", certificate.certificatePEM)
    try folder.write("tls.key", certificate.privateKeyPEM)
  }

  static let section = "\n[tls]\ncertificate_file = \"tls.pem\"\nkey_file = \"tls.key\"\n"

  private func appliance(_ certificate: IssuedCertificate? = nil) throws -> Appliance {
    let certificate = try certificate ?? leaf()
    return try Appliance(gateway: { _ in }) { settings, _ in
      try TemporaryFolder.write(certificate.certificatePEM, to: settings.folder + "/tls.pem")
      try TemporaryFolder.write(certificate.privateKeyPEM, to: settings.folder + "/tls.key")
      settings.more += Self.section
    }
  }

  private func connect(_ appliance: Appliance, _ protocols: [String] = ["http/1.1"]) throws -> TLSConnection {
    try TLSConnection(port: appliance.port, authority: authority.certificatePEM, protocols: protocols)
  }

  private func health(_ connection: TLSConnection) -> String {
    connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
  }

  @Test func bothProtocolsAreServed() throws {
    let appliance = try appliance()
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(health(try connect(appliance, [])).hasPrefix("HTTP/1.1 200 OK\r\n"))
    let second = try connect(appliance, ["h2", "http/1.1"])
    #expect(second.negotiated == "h2")
    // The server's SETTINGS come first.
    #expect(second.waitForBytes { $0.count >= 9 })
    #expect(second.received[3] == 4)
  }

  @Test func theHealthCommandWantsTheConfiguredCertificate() throws {
    let appliance = try appliance()
    try appliance.configure { $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(appliance.port)") }
    let health = try appliance.command("health")
    #expect(health.status == 0, "\(health.text)")
    #expect(health.text.hasPrefix("OK v"))
    // Whoever shows another certificate is not the server that is meant.
    try appliance.folder.write("other.pem", try leaf().certificatePEM)
    try appliance.configure {
      $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(appliance.port)")
        .replacing("\"tls.pem\"", with: "\"other.pem\"")
    }
    let stranger = try appliance.command("health")
    #expect(stranger.status == 1, "\(stranger.text)")
  }

  /// A push over HTTP/2, as a relay would send it.
  @Test func aPushOverHTTP2IsDelivered() throws {
    let appliance = try appliance()
    let wallet = try MockWallet()
    let client = try HTTP2Caller(try connect(appliance, ["h2"]))
    let registered = try client.send(
      "POST", "/clients", [("content-type", "application/json")],
      MockWallet.body(clientID: wallet.clientID, type: "apns", token: Appliance.apnsToken(), alwaysRaw: true))
    #expect(registered == 200)
    let body = Appliance.raw("over h2")
    let fields = try appliance.relay.pushFields(body, timestamp: WallClock.seconds())
    #expect(try client.send("POST", "/clients/\(wallet.clientID)", fields, body) == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func oldVersionsOfTLSAndPlainHTTPAreRefused() throws {
    let appliance = try appliance()
    for version: UInt8 in [1, 2] {
      let old = try RawConnection(port: appliance.port)
      old.send(Self.clientHello(minor: version, suites: [0xC0, 0x09, 0xC0, 0x13]))
      // Alert: fatal, protocol_version (RFC 5246, section 7.2).
      #expect(try Array(old.readToEnd().suffix(2)) == [2, 70], "TLS 1.\(version - 1)")
    }
    let plain = try RawConnection(port: appliance.port)
    plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try !plain.readToEnd().starts(with: Array("HTTP".utf8)))
  }

  /// Suites of TLS 1.2 for the certificate's kind of key: AES-GCM and ChaCha20 are served; CBC and CCM with the
  /// same key agreement are not.
  @Test(
    arguments: [
      ([0xC0, 0x2B], true), ([0xCC, 0xA9], true), ([0xC0, 0x09], false), ([0xC0, 0x23], false),
      ([0xC0, 0xAC], false),
    ] as [([UInt8], Bool)])
  func ofTLS12OnlyWhatSealsIsServed(_ suite: [UInt8], _ isServed: Bool) throws {
    let appliance = try appliance()
    let connection = try RawConnection(port: appliance.port)
    connection.send(Self.clientHello(minor: 3, suites: suite))
    connection.endInput()
    let answer = try connection.readToEnd()
    if isServed {
      // A record of the handshake.
      #expect(answer.first == 22, "\(answer)")
    } else {
      // Alert: fatal, handshake_failure.
      #expect(answer.first == 21 && answer.suffix(2) == [2, 40], "\(answer)")
    }
  }

  /// A ClientHello of TLS 1.0 (minor 1), 1.1 (2) or 1.2 (3), for P-256 and ECDSA with SHA-256.
  private static func clientHello(minor: UInt8, suites: [UInt8]) -> [UInt8] {
    let body: [UInt8] =
      [3, minor] + [UInt8](repeating: 7, count: 32) + [0, 0, UInt8(suites.count)] + suites + [1, 0]
      + [0, 16, 0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3]
    return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
  }

  @Test func aRenewedCertificateIsTakenAndABrokenOneIsNot() throws {
    let appliance = try appliance(try leaf())
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200"))
    let kept = try connect(appliance)
    // Another authority's: who trusts the first sees whether it came into use.
    let now = Int(WallClock.seconds())
    let other = try LoopbackCertificateAuthority(validity: validity)
    let renewed = try other.issue(names: ["127.0.0.1"], validity: validity)

    try appliance.folder.write("tls.pem", "nonsense")
    #expect(appliance.waitForLog("certificate not reloaded, the one in use stays: tls.certificate_file: "))
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200"))
    try appliance.folder.write("tls.pem", renewed.certificatePEM)
    #expect(appliance.waitForLog("the private key does not belong to the certificate"))
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200"))
    let expired = try leaf((now - 7200)..<(now - 3600))
    try install(expired, in: appliance.folder)
    #expect(appliance.waitForLog("tls.pem: the certificate has expired"))
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200"))

    try install(renewed, in: appliance.folder)
    #expect(appliance.waitForLog("certificate reloaded: the certificate of "))
    #expect(try connect(appliance).failure?.contains("TLS") == true)
    let trusting = try TLSConnection(
      port: appliance.port, authority: other.certificatePEM, protocols: ["http/1.1"])
    #expect(health(trusting).hasPrefix("HTTP/1.1 200"))
    // A connection from before goes on.
    #expect(health(kept).hasPrefix("HTTP/1.1 200"))
  }

  @Test func aReloadTurnsTLSOnAndOffAndRefusesABrokenCertificate() throws {
    let appliance = try appliance()
    try appliance.folder.write("tls.key", "nonsense")
    appliance.signal(SIGHUP)
    #expect(appliance.waitForLog("configuration not reloaded"))
    #expect(health(try connect(appliance)).hasPrefix("HTTP/1.1 200"))
    try appliance.configure { $0.replacing(Self.section, with: "") }
    appliance.signal(SIGHUP)
    #expect(appliance.waitForLog("configuration reloaded"))
    #expect(try appliance.client().send("GET", "/health").status == 200)
  }

  @Test func checkTellsTheFacts() throws {
    let appliance = try appliance()
    let good = try appliance.command("check")
    #expect(good.text.contains("tls.certificate_file: the certificate of "), "\(good.text)")
    #expect(good.text.contains("is good for 40 days"), "\(good.text)")
    #expect(good.text.contains("tls.key_file: belongs to the certificate"), "\(good.text)")
    try appliance.configure {
      $0.replacing("public_url = \"http://localhost\"", with: "public_url = \"https://push.example.com\"")
    }
    let stranger = try appliance.command("check")
    #expect(stranger.text.contains("the certificate is not for push.example.com"), "\(stranger.text)")
    let now = Int(WallClock.seconds())
    try install(try leaf((now - 60)..<(now + 86_400 * 3 + 3600)), in: appliance.folder)
    #expect(try appliance.command("check").text.contains("expires in 3 days"))
    try install(try leaf((now - 7200)..<(now - 60)), in: appliance.folder)
    #expect(try appliance.command("check").text.contains("has expired"))
    try appliance.folder.write("tls.pem", "")
    #expect(try appliance.command("check").text.contains("tls.certificate_file: "))
    #expect(try appliance.command("check").status == 2)
  }
}
