import Crypto
import EventLoop
import TestSupport
import Testing

/// When certificates end is a metric, so that somebody is called before they do.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct CertificateExpiryTests {
  private static let name = "pushbox_certificate_expiration_timestamp_seconds"

  /// The values by label.
  private func expiries(_ connection: TLSConnection) -> [String: Double] {
    connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return expiries(String(decoding: connection.readToEnd() ?? [], as: UTF8.self))
  }

  private func expiries(_ metrics: String) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in metrics.split(separator: "\n") where line.hasPrefix(Self.name + "{certificate=\"") {
      let parts = line.dropFirst(Self.name.count + 14).split(separator: "\"} ")
      if parts.count == 2 { values[String(parts[0])] = Double(parts[1]) }
    }
    return values
  }

  @Test func withoutCertificatesThereIsNone() throws {
    let appliance = try Appliance()
    let metrics = try appliance.client().send("GET", "/metrics").text
    #expect(metrics.contains("# TYPE \(Self.name) gauge\n"))
    #expect(expiries(metrics).isEmpty)
  }

  @Test func bothCertificatesAndARenewal() throws {
    let now = Int(WallClock.seconds())
    let validity = (now - 60)..<(now + 86_400 * 40)
    let authority = try LoopbackCertificateAuthority(validity: validity)
    let first = try authority.issue(names: ["127.0.0.1"], validity: (now - 60)..<(now + 86_400 * 3))
    let appliance = try Appliance(gateway: { _ in }) { settings, gateway in
      settings.certificate = try gateway.issueClientCertificate(topic: "com.example.wallet")
      try TemporaryFolder.write(first.certificatePEM, to: settings.folder + "/tls.pem")
      try TemporaryFolder.write(first.privateKeyPEM, to: settings.folder + "/tls.key")
      settings.more += TLSTests.section
    }
    func connect() throws -> TLSConnection {
      try TLSConnection(
        port: appliance.port, authority: authority.certificatePEM, protocols: ["http/1.1"])
    }
    let before = expiries(try connect())
    #expect(before["tls"] == Double(now + 86_400 * 3))
    #expect(abs((before["apns"] ?? 0) - Double(now + 86_400 * 30)) < 86_400, "\(before)")
    let second = try authority.issue(names: ["127.0.0.1"], validity: validity)
    try appliance.folder.write("tls.pem", second.certificatePEM)
    try appliance.folder.write("tls.key", second.privateKeyPEM)
    #expect(appliance.waitForLog("certificate reloaded: "))
    #expect(expiries(try connect())["tls"] == Double(validity.upperBound))
  }
}
