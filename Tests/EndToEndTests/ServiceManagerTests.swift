import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What systemd listens at: a datagram socket in a folder.
private final class NotifySocket: Sendable {
  let folder: TemporaryFolder
  private let file: Int32

  init() throws {
    folder = try TemporaryFolder()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((folder.path + "/notify").utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard file >= 0, bound == 0 else { throw TestSupportError("no notify socket: \(errno)") }
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(file)
  }

  var variable: String { "NOTIFY_SOCKET=\(folder.path)/notify" }

  /// The next message; empty when none comes.
  func next() -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(file, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}

@Suite(.ownThread, .serialized, .timeLimit(.minutes(2))) struct ServiceManagerTests {
  @Test func systemdIsToldOfStartReloadAndStop() throws {
    let socket = try NotifySocket()
    let appliance = try Appliance(environment: [socket.variable])
    #expect(socket.next() == "READY=1\nSTATUS=serving")
    #expect(appliance.reload(1), "\(appliance.log)")
    let reloading = socket.next()
    #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="), "\(reloading)")
    #expect(UInt64(reloading.split(separator: "=").last ?? "") ?? 0 > 0)
    #expect(socket.next() == "READY=1\nSTATUS=serving")
    try appliance.folder.write("config.toml", "[")
    #expect(!appliance.reload(2))
    #expect(socket.next().hasPrefix("RELOADING=1"))
    let failed = socket.next()
    #expect(failed.hasPrefix("READY=1\nSTATUS=serving; the last reload changed nothing: "), "\(failed)")
    #expect(appliance.end(SIGTERM) == 0)
    #expect(socket.next() == "STOPPING=1")
  }

  @Test func aWatchedFileReloadsByItself() throws {
    let appliance = try Appliance { $0.server = "workers = 2\nwatch_config = true" }
    let wallet = try appliance.registered()
    try appliance.folder.write(
      "config.toml",
      appliance.settings.text.replacing("[store]", with: "[clients]\nauth = \"required\"\n[store]"))
    #expect(appliance.waitForLog("configuration reloaded"), "\(appliance.log)")
    #expect(try appliance.register(wallet.clientID, token: Appliance.apnsToken()).status == 401)
    // A key file counts too, and a bad one changes nothing.
    try appliance.folder.write("apns.p8", "no key at all")
    #expect(appliance.waitForLog("attempt=2\n"), "\(appliance.log)")
    #expect(appliance.waitForLog("configuration not reloaded"))
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }
}
