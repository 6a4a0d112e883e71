import Bytes
import Crypto
import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport

/// A pushbox in a process of its own, before mock gateways: what every test here plays with.
final class Appliance: Sendable {
  let gateway: MockGateway
  let relay: MockRelay
  let folder: TemporaryFolder
  let settings: MockConfiguration
  private let environment: [String]
  private let process: Locked<ChildProcess>

  /// Made once: an RSA key takes its time.
  private static let credentials = Result { try MockGateway.Credentials.generate() }

  /// - Parameters:
  ///   - environment: further variables, as `NAME=value`.
  ///   - configure: changes the configuration before it is written.
  convenience init(
    environment: [String] = [], _ configure: (inout MockConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      environment: environment, gateway: { _ in }, settings: { settings, _ in configure(&settings) })
  }

  /// - Parameters:
  ///   - environment: further variables, as `NAME=value`.
  ///   - prepare: changes how the mock gateway starts.
  ///   - configure: changes the configuration before it is written.
  init(
    environment: [String] = [], gateway prepare: (inout MockGateway.Configuration) -> Void,
    settings configure: (inout MockConfiguration, MockGateway) throws -> Void = { _, _ in }
  ) throws {
    self.environment = ["PATH=/usr/bin:/bin"] + environment
    var mock = MockGateway.Configuration()
    mock.credentials = try Self.credentials.get()
    prepare(&mock)
    gateway = try MockGateway.start(mock)
    relay = try MockRelay()
    folder = try TemporaryFolder()
    var settings = MockConfiguration(
      folder: folder.path, gateway: gateway, relayPublicKey: relay.publicKeyHex)
    settings.server = "workers = 2"
    settings.more = "[log]\nlevel = \"debug\""
    try configure(&settings, gateway)
    try settings.write()
    self.settings = settings
    process = Locked(try Self.serve(settings.path, self.environment))
  }

  deinit {
    gateway.stop()
  }

  private static func serve(_ path: String, _ environment: [String]) throws -> ChildProcess {
    let process = try ChildProcess("pushbox", ["serve", "--config", path], environment: environment)
    guard process.waitForOutput(" serves ") else {
      throw TestSupportError("pushbox did not start: \(process.text)")
    }
    return process
  }

  var log: String { process.withLock { $0 }.text }

  /// Waits until the log has `pattern`; false when the process ended without.
  func waitForLog(_ pattern: String) -> Bool { process.withLock { $0 }.waitForOutput(pattern) }

  /// The port it listens on, from its log.
  var port: UInt16 {
    let text = log
    guard let start = text.firstRange(of: "address=127.0.0.1:")?.upperBound else { return 0 }
    return UInt16(text[start...].prefix { $0.isNumber }) ?? 0
  }

  /// Ends the process by `signal`; its exit status.
  func end(_ signal: Int32) -> Int32 {
    let process = process.withLock { $0 }
    process.kill(signal)
    return process.wait()
  }

  var processID: Int32 { process.withLock { $0 }.processID }

  /// Sends a signal and does not wait.
  func signal(_ signal: Int32) {
    process.withLock { $0 }.kill(signal)
  }

  func waitForEnd() -> Int32 { process.withLock { $0 }.wait() }

  /// Starts it anew on the same folder.
  func restart() throws {
    let new = try Self.serve(settings.path, environment)
    process.withLock { $0 = new }
  }

  /// Runs another command with the same configuration: its exit status and all that it printed.
  func command(_ arguments: String...) throws -> (status: Int32, text: String) { try command(arguments) }

  func command(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = try ChildProcess("pushbox", arguments + ["--config", settings.path])
    // Never printed: waits for the end of the output.
    _ = process.waitForOutput("\u{0}")
    return (process.wait(), process.text)
  }

  /// Changes the text of the configuration for what starts from now on.
  func configure(_ change: (String) -> String) throws {
    try folder.write("config.toml", change(settings.text))
  }

  func client() -> BlockingHTTPClient { BlockingHTTPClient(port: port) }

  // MARK: Requests

  /// A new wallet, registered; fails the test when that fails.
  func registered(
    type: String = "apns", token: String = Appliance.apnsToken(), alwaysRaw: Bool = true
  ) throws -> MockWallet {
    let wallet = try MockWallet()
    let response = try register(wallet.clientID, type: type, token: token, alwaysRaw: alwaysRaw)
    guard response.status == 200 else { throw TestSupportError("registration: \(response.text)") }
    return wallet
  }

  func register(
    _ clientID: String, type: String = "apns", token: String, alwaysRaw: Bool? = true,
    over client: BlockingHTTPClient? = nil
  ) throws -> BlockingHTTPResponse {
    try (client ?? self.client()).send(
      "POST", "/clients", fields: [("content-type", "application/json")],
      body: MockWallet.body(clientID: clientID, type: type, token: token, alwaysRaw: alwaysRaw))
  }

  /// A signed push.
  func push(
    _ clientID: String, _ body: [UInt8], over client: BlockingHTTPClient? = nil
  ) throws -> BlockingHTTPResponse {
    try (client ?? self.client()).send(
      "POST", "/clients/\(clientID)", fields: relay.pushFields(body, timestamp: WallClock.seconds()),
      body: body)
  }

  static func raw(_ message: String) -> [UInt8] {
    MockRelay.rawBody(topic: "topic-1", tag: 1108, message: message)
  }

  /// 64 hex digits.
  static func apnsToken() -> String { Hex.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }

  static func fcmToken() -> String {
    "fcm:" + Base64.encode((0..<90).map { _ in UInt8.random(in: 0...255) }, .url)
  }
}

extension BlockingHTTPResponse {
  /// `errors[0].name`.
  var errorName: String? { json?["errors"]?[0]?["name"]?.stringValue }
  /// `fields[*].field`.
  var fieldNames: [String] { json?["fields"]?.arrayValue?.compactMap { $0["field"]?.stringValue } ?? [] }
  var json: JSONValue? { try? JSON.parse(body) }
  var isSuccess: Bool { json?["status"]?.stringValue == "SUCCESS" }
}
