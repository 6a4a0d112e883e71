import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport

/// A pushbox in a process of its own, started anew as a service manager would whenever it ends; its store may lie
/// on a disk that can be filled.
final class ChaosServer: Sendable {
  /// The name of the gateways: where a second address of it can be made up, that one is tried first.
  static let gatewayName = "localhost"
  /// Of the gateways' name, the address at which nothing good listens.
  static let otherAddress = "::1"

  private struct State {
    var process: ChildProcess
    var port: UInt16
    var ends: [String] = []
  }

  let gateway: MockGateway
  let relay: MockRelay
  let folder: TemporaryFolder
  /// Nil where none can be made.
  let disk: SmallDisk?
  /// Whether the gateways' name has the second address for the server.
  let hasTwoAddresses: Bool
  private let settings: MockConfiguration
  private let state: Locked<State>

  init() throws {
    var mock = MockGateway.Configuration()
    mock.recording = .full(limit: 10_000_000)
    gateway = try MockGateway.start(mock)
    relay = try MockRelay()
    folder = try TemporaryFolder()
    let canMount = Self.canMount
    disk = canMount ? try SmallDisk(size: "256m") : nil
    hasTwoAddresses = canMount
    var settings = MockConfiguration(
      folder: folder.path, gateway: gateway, relayPublicKey: relay.publicKeyHex)
    if canMount { settings.gatewayHost = Self.gatewayName }
    if let disk { settings.storePath = disk.path + "/store" }
    settings.server = "workers = 2\nshutdown_grace_ms = 5000"
    settings.store = "map_size = \"128MiB\"\ndeliveries_map_size = \"64MiB\""
    settings.more = "[log]\nlevel = \"debug\""
    try settings.write()
    try TemporaryFolder.write(
      "\(Self.otherAddress) \(Self.gatewayName)\n127.0.0.1 \(Self.gatewayName)\n", to: folder.path + "/hosts")
    self.settings = settings
    let (process, port) = try Self.start(settings, folder, hasTwoAddresses)
    state = Locked(State(process: process, port: port))
  }

  deinit {
    gateway.stop()
  }

  /// Whether file systems can be mounted here: not by an ordinary user, nor in many containers.
  private static let canMount: Bool = {
    let probe = try? ChildProcess(
      "/usr/bin/unshare", ["-m", "/bin/sh", "-c", "mount --bind /etc/hosts /etc/hosts"])
    return geteuid() == 0 && (try? SmallDisk(size: "64k")) != nil && probe?.wait() == 0
  }()

  private static func start(
    _ settings: MockConfiguration, _ folder: TemporaryFolder, _ hasTwoAddresses: Bool
  ) throws -> (ChildProcess, UInt16) {
    let serve = ["serve", "--config", settings.path]
    let process =
      hasTwoAddresses
      ? try ChildProcess(
        "/usr/bin/unshare",
        [
          "-m", "--propagation", "private", "/bin/sh", "-c",
          "mount --bind \(folder.path)/hosts /etc/hosts && exec \"$@\"",
          "sh", ChildProcess.products + "/pushbox",
        ] + serve)
      : try ChildProcess("pushbox", serve)
    guard process.waitForOutput(" serves ") else {
      throw TestSupportError("pushbox did not start: \(process.text.suffix(4000))")
    }
    let text = process.text
    guard let start = text.firstRange(of: "address=127.0.0.1:")?.upperBound,
      let port = UInt16(text[start...].prefix { $0.isNumber })
    else { throw TestSupportError("no port in the log: \(text.suffix(4000))") }
    return (process, port)
  }

  /// Where it listens now.
  var port: UInt16 { state.withLock { $0.port } }
  var process: ChildProcess { state.withLock { $0.process } }
  /// How each process that ended by itself did, where that was not in order.
  var ends: [String] { state.withLock { $0.ends } }

  /// Ends the process by `signal` and starts another; what was wrong with its end, if anything.
  func restart(_ signal: Int32) throws -> String? {
    let process = self.process
    process.kill(signal)
    let status = process.wait(upTo: .seconds(30))
    var problem: String?
    if status == nil { problem = "signal \(signal) did not end it in 30 s" }
    if signal == SIGTERM, let status, status != 0, !Self.gaveUp(status, process) {
      problem = "SIGTERM ended it with \(status): \(process.text.suffix(2000))"
    }
    try startAnew()
    return problem
  }

  /// Starts it anew if it ended by itself. It may when LMDB can go on only so.
  func keepAlive() throws {
    let process = self.process
    guard process.hasEnded else { return }
    let status = process.wait()
    process.readOutput()
    if !Self.gaveUp(status, process) {
      state.withLock { $0.ends.append("ended with \(status): \(process.text.suffix(2000))") }
    }
    try startAnew()
  }

  /// Whether it ended as its log says: for the service manager to start it anew.
  private static func gaveUp(_ status: Int32, _ process: ChildProcess) -> Bool {
    process.readOutput()
    return status == 1 && process.waitForOutput("start pushbox anew")
  }

  private func startAnew() throws {
    let (process, port) = try Self.start(settings, folder, hasTwoAddresses)
    state.withLock { state in
      state.process = process
      state.port = port
    }
  }

  /// Starts another command with the same configuration.
  func command(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess("pushbox", arguments + ["--config", settings.path])
  }
}
