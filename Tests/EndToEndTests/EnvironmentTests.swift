import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The Rust server's `.env` files start pushbox as they are.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct EnvironmentTests {
  private let gateway: MockGateway
  private let folder: TemporaryFolder

  init() throws {
    gateway = try MockGateway.start()
    folder = try TemporaryFolder()
    try folder.write("ca.pem", gateway.caCertificatePEM)
  }

  /// What no `.env` has: the way to the mock.
  private var mock: [String] {
    ["PUSHBOX_FCM_ENDPOINT=\(gateway.url(of: .fcm))", "PUSHBOX_FCM_CA_FILE=\(folder.path)/ca.pem"]
  }

  private func serve(_ environment: [String]) throws -> ChildProcess {
    let setting = ["PATH=/usr/bin:/bin", "PUSHBOX_STORE_PATH=\(folder.path)/data"]
    let process = try ChildProcess("pushbox", ["serve"], environment: setting + environment)
    #expect(process.waitForOutput(" serves "), "\(process.text)")
    return process
  }

  /// The variables of `.env.single-tenant-example`, filled in.
  @Test func theSingleTenantExampleStartsPushbox() throws {
    let relay = try MockRelay()
    let process = try serve(
      mock + [
        "PORT=0", "PUBLIC_URL=http://localhost:3000",
        "DATABASE_URL=postgres://user:pass@host:1234/database", "LOG_LEVEL=debug,echo-server=debug",
        "RELAY_PUBLIC_KEY=\(relay.publicKeyHex)", "VALIDATE_SIGNATURES=false", "CORS_ALLOWED_ORIGINS=*",
        "TELEMETRY_PROMETHEUS_PORT=3001",
        "FCM_V1_CREDENTIALS=\(String(decoding: gateway.serviceAccountJSON, as: UTF8.self))",
        "APNS_TOPIC=com.example.wallet",
      ])
    let log = process.text
    for name in [
      "DATABASE_URL", "TELEMETRY_PROMETHEUS_PORT", "VALIDATE_SIGNATURES",
      "APNS_TOPIC",
    ] {
      #expect(log.contains(" warning configuration: environment \(name): "), "\(name): \(log)")
    }
    #expect(!log.contains("user:pass"))
    let start = try #require(log.firstRange(of: "address=0.0.0.0:")?.upperBound)
    let port = try #require(UInt16(log[start...].prefix { $0.isNumber }))
    // It does its work, without signatures as the file says.
    let client = BlockingHTTPClient(port: port)
    let wallet = try MockWallet()
    let json = [(name: "content-type", value: "application/json")]
    #expect(
      try client.send(
        "POST", "/clients", fields: json,
        body: MockWallet.body(
          clientID: wallet.clientID, type: "fcm", token: Appliance.fcmToken(), alwaysRaw: true)
      ).status == 200)
    #expect(
      try client.send(
        "POST", "/clients/\(wallet.clientID)", fields: json, body: Appliance.raw("1")
      ).status == 202)
    #expect(gateway.deliveryCount == 1)
  }

  @Test func withATokenSigningKeyAppleIsServedToo() throws {
    let credentials = gateway.credentials
    let process = try serve(
      mock + [
        "PORT=0", "PUBLIC_URL=https://push.example.com", "RELAY_PUBLIC_KEY=\(try MockRelay().publicKeyHex)",
        "APNS_TYPE=token", "APNS_TOPIC=\(credentials.apnsTopic)", "APNS_KEY_ID=\(credentials.apnsKeyID)",
        "APNS_TEAM_ID=\(credentials.apnsTeamID)",
        "APNS_PKCS8_PEM=\(Base64.encode(Array(gateway.apnsKeyPEM.utf8)))",
        "FCM_V1_CREDENTIALS=\(String(decoding: gateway.serviceAccountJSON, as: UTF8.self))",
      ])
    #expect(!process.text.contains(" warning "), "\(process.text)")
    #expect(!process.text.contains("PRIVATE KEY"))
  }

  /// The file as it stands in the Rust server's repository, each value filled in: a push certificate, and a key of
  /// the FCM API that is no more.
  @Test func theExampleWithAPushCertificateStartsPushbox() throws {
    let process = try serve([
      "PORT=0", "PUBLIC_URL=http://localhost:3000",
      "DATABASE_URL=postgres://user:pass@host:1234/database", "LOG_LEVEL=debug,echo-server=debug",
      "RELAY_PUBLIC_KEY=\(try MockRelay().publicKeyHex)", "VALIDATE_SIGNATURES=false",
      "CORS_ALLOWED_ORIGINS=*", "TELEMETRY_PROMETHEUS_PORT=3001", "FCM_API_KEY=legacy-server-key",
      "APNS_CERTIFICATE=\(PKCS12Fixtures.legacy)", "APNS_CERTIFICATE_PASSWORD=\(PKCS12Fixtures.password)",
      "APNS_TOPIC=com.example.wallet",
    ])
    for name in ["DATABASE_URL", "TELEMETRY_PROMETHEUS_PORT", "VALIDATE_SIGNATURES", "FCM_API_KEY"] {
      #expect(process.text.contains(" warning configuration: environment \(name): "), "\(process.text)")
    }
    for secret in ["legacy-server-key", "user:pass", PKCS12Fixtures.legacy] {
      #expect(!process.text.contains(secret))
    }
    let start = try #require(process.text.firstRange(of: "address=0.0.0.0:")?.upperBound)
    let port = try #require(UInt16(process.text[start...].prefix { $0.isNumber }))
    let wallet = try MockWallet()
    #expect(
      try BlockingHTTPClient(port: port).send(
        "POST", "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(
          clientID: wallet.clientID, type: "apns", token: Appliance.apnsToken(), alwaysRaw: true)
      ).status == 200)
  }
}
