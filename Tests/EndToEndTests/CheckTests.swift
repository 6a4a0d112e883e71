import Crypto
import EventLoop
import Glibc
import HTTP
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The files of a pushbox that does not run, and `pushbox check` on them.
final class CheckBench: Sendable {
  let gateway: MockGateway
  let folder: TemporaryFolder
  let settings: MockConfiguration

  private static let credentials = Result { try MockGateway.Credentials.generate() }

  /// - Parameter configure: changes the configuration before it is written.
  init(
    _ mock: MockGateway.Configuration = MockGateway.Configuration(),
    _ configure: (inout MockConfiguration, MockGateway) throws -> Void = { _, _ in }
  ) throws {
    var mock = mock
    mock.credentials = try Self.credentials.get()
    gateway = try MockGateway.start(mock)
    folder = try TemporaryFolder()
    var settings = MockConfiguration(
      folder: folder.path, gateway: gateway, relayPublicKey: try MockRelay().publicKeyHex)
    try configure(&settings, gateway)
    try settings.write()
    self.settings = settings
  }

  deinit {
    gateway.stop()
  }

  func check(_ options: String...) throws -> (status: Int32, text: String) {
    let process = try ChildProcess("pushbox", ["check", "--config", settings.path] + options)
    let status = process.wait()
    // The last line of text, or the whole of JSON.
    _ = process.waitForOutput(options.contains("--json") ? "]}" : " warnings\n")
    return (status, process.text)
  }

  /// Writes the configuration with `old` replaced.
  func change(_ old: String, _ new: String) throws {
    try folder.write("config.toml", settings.text.replacing(old, with: new))
  }
}

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct CheckTests {
  @Test func factsOfKeysAndPlaces() throws {
    let bench = try CheckBench()
    let (status, text) = try bench.check()
    #expect(status == 0, "\(text)")
    let credentials = bench.gateway.credentials
    #expect(text.contains("apns.key: loads and signs; key ID \(credentials.apnsKeyID)"), "\(text)")
    #expect(
      text.contains("fcm.service_account: is \(credentials.serviceAccountEmail) of project mock-project"),
      "\(text)")
    // 30 days, less what the test took.
    #expect(text.contains("is good for 30 days") || text.contains("expires in 29 days"), "\(text)")
    #expect(text.contains("store.path: \(bench.folder.path)/data is not there yet"), "\(text)")
    #expect(
      text.contains("the push URL to give to the WalletConnect dashboard is http://localhost"), "\(text)")
    #expect(!text.contains("PRIVATE KEY"))
    #expect(bench.gateway.counters(of: .apnsProduction).requests == 0)
  }

  @Test func warningsCountWhenStrict() throws {
    let bench = try CheckBench()
    chmod(bench.folder.path + "/apns.p8", 0o644)
    #expect(try bench.check().status == 0)
    let (status, text) = try bench.check("--strict")
    #expect(status == 1)
    #expect(text.contains("chmod 600 \(bench.folder.path)/apns.p8"), "\(text)")
  }

  @Test func jsonForMachines() throws {
    let bench = try CheckBench()
    let (status, text) = try bench.check("--json")
    #expect(status == 0)
    let report = try JSON.parse(Array(text.utf8))
    #expect(report["status"]?.stringValue == "warning")
    let findings = try #require(report["findings"]?.arrayValue)
    #expect(
      findings.contains { $0["subject"]?.stringValue == "apns.key" && $0["level"]?.stringValue == "ok" })
    try bench.folder.write("config.toml", "[server\n")
    let broken = try JSON.parse(Array(try bench.check("--json").text.utf8))
    #expect(broken["status"]?.stringValue == "error")
    #expect(
      broken["findings"]?[0]?["message"]?.stringValue?.contains("config.toml:1:8") == true, "\(broken)")
  }

  @Test func aPortInUseAndAFolderThatIsNone() throws {
    let bench = try CheckBench()
    try bench.change("listen = \"127.0.0.1:0\"", "listen = \"\(bench.gateway.authority(of: .fcm))\"")
    var (status, text) = try bench.check()
    #expect(status == 2)
    #expect(text.contains("server.listen: \(bench.gateway.authority(of: .fcm)) is in use"), "\(text)")
    try bench.change("path = \"data\"", "path = \"ca.pem\"")
    (status, text) = try bench.check()
    #expect(status == 2)
    #expect(text.contains("ca.pem is no folder"), "\(text)")
  }

  @Test func aRunningServerIsNoPortConflict() throws {
    let appliance = try Appliance()
    try appliance.folder.write(
      "config.toml",
      appliance.settings.text.replacing("127.0.0.1:0", with: "127.0.0.1:\(appliance.port)"))
    let check = try ChildProcess("pushbox", ["check", "--config", appliance.settings.path])
    #expect(check.wait() == 0, "\(check.text)")
    #expect(check.waitForOutput("is in use; pushbox serves as process"), "\(check.text)")
  }

  @Test func theKeyFilesNameGivesAWrongKeyIDAway() throws {
    let bench = try CheckBench()
    try bench.folder.write("AuthKey_OTHERKEY12.p8", bench.gateway.apnsKeyPEM)
    try bench.change("apns.p8", "AuthKey_OTHERKEY12.p8")
    let (status, text) = try bench.check("--strict")
    #expect(status == 1)
    #expect(text.contains("the key file's name says OTHERKEY12"), "\(text)")
  }

  @Test func onlineWithGoodCredentials() throws {
    let bench = try CheckBench()
    // As Apple answers for a token that no device has.
    for service in [MockGateway.Service.apnsProduction, .apnsSandbox] {
      bench.gateway.always(.apns(.badDeviceToken), at: service)
    }
    let (status, text) = try bench.check("--online")
    #expect(status == 0, "\(text)")
    #expect(text.contains("apns: takes the credentials (answered 400 BadDeviceToken"), "\(text)")
    #expect(text.contains("apns-sandbox: takes the credentials"), "\(text)")
    #expect(text.contains("fcm: takes the credentials"), "\(text)")
    #expect(bench.gateway.deliveryCount == 0)
  }

  @Test func onlineSaysWhichOfTheCredentialsIsWrong() throws {
    let bench = try CheckBench()
    let refusals: [(MockGateway.APNsReason, String)] = [
      (.invalidProviderToken, "the key, key ID or team ID is wrong"),
      (.unrelatedKeyIDInToken, "the key ID is of another team's or topic's key"),
      (.badEnvironmentKeyInToken, "the environment is wrong"), (.topicDisallowed, "the topic is wrong"),
      (.badTopic, "the topic is wrong"), (.deviceTokenNotForTopic, "the topic is wrong"),
      (.expiredProviderToken, "the clock is wrong"),
    ]
    for (reason, words) in refusals {
      bench.gateway.always(.apns(reason), at: .apnsProduction)
      let (status, text) = try bench.check("--online")
      #expect(status == 2, "\(reason)")
      #expect(text.contains("apns: \(words) (answered \(reason.status) \(reason.rawValue))"), "\(text)")
    }
  }

  @Test func onlineWithAnotherKeyIsRefusedByTheGatewayItself() throws {
    let bench = try CheckBench()
    try bench.folder.write("apns.p8", P256PrivateKey.generate().pem())
    bench.gateway.always(.fcm(.senderIDMismatch), at: .fcm)
    let (status, text) = try bench.check("--online")
    #expect(status == 2)
    #expect(
      text.contains("apns: the key, key ID or team ID is wrong (answered 403 InvalidProviderToken)"),
      "\(text)")
  }

  @Test func onlineNamesAGatewayThatIsNotThere() throws {
    let bench = try CheckBench()
    bench.gateway.stopListening(at: .fcm)
    let (status, text) = try bench.check("--online")
    #expect(status == 2)
    #expect(text.contains("fcm: can't be reached: 127.0.0.1:"), "\(text)")
  }

  @Test func aClockThatIsWrong() throws {
    let bench = try CheckBench()
    let answer = HTTPResponse(
      status: 400, fields: [HTTPField("date", "Sun, 06 Nov 1994 08:49:37 GMT")],
      body: Array("{\"reason\":\"BadDeviceToken\"}".utf8))
    bench.gateway.always(.answer(answer), at: .apnsProduction)
    let (status, text) = try bench.check("--online")
    #expect(status == 2)
    #expect(text.contains("s ahead of that of apns"), "\(text)")
  }
}

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ConfigShowTests {
  @Test func everyValueWithItsOriginAndNoSecret() throws {
    let bench = try CheckBench()
    let key = bench.gateway.apnsKeyPEM
    let account = String(decoding: bench.gateway.serviceAccountJSON, as: UTF8.self)
    let show = try ChildProcess(
      "pushbox", ["config", "show", "--config", bench.settings.path],
      environment: ["APNS_PKCS8_PEM=\(key)", "FCM_V1_CREDENTIALS=\(account)", "PUSHBOX_SERVER_WORKERS=3"])
    #expect(show.wait() == 0)
    #expect(show.waitForOutput("[log]"), "\(show.text)")
    let text = show.text
    #expect(text.contains("workers = 3  # environment PUSHBOX_SERVER_WORKERS"), "\(text)")
    #expect(text.contains("listen = [\"127.0.0.1:0\"]  # \(bench.settings.path):2:10"), "\(text)")
    #expect(text.contains("deadline_ms = 25000  # default"), "\(text)")
    #expect(text.contains("key = \"<redacted>\"  # environment APNS_PKCS8_PEM"), "\(text)")
    #expect(!text.contains("key_file = \"\(bench.folder.path)/apns.p8\""), "\(text)")
    // No line of either key, as PEM or within JSON.
    for line in (key + account.replacing("\\n", with: "\n")).split(separator: "\n")
    where line.utf8.count > 30 && !line.hasPrefix("{") {
      #expect(!text.contains(line))
    }
    #expect(!text.contains("PRIVATE KEY"))
    #expect(!text.contains("BEGIN"))
  }
}
