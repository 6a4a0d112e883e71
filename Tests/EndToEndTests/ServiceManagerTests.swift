import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

@testable import pushbox

/// What systemd listens at: a datagram socket in a folder.
final class NotifySocket: Sendable {
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

  /// The next message; empty when none comes. Skips beats of the watchdog and what concerns descriptors, which
  /// are closed.
  func next() -> String {
    while true {
      let (text, descriptor) = receive()
      if let descriptor { close(descriptor) }
      if !text.hasPrefix("FDSTORE"), text != "WATCHDOG=1" { return text }
    }
  }

  /// The next message, nil when none comes in time; a descriptor with it is closed.
  func receive(before deadline: ContinuousClock.Instant) -> String? {
    let left = max(.zero, deadline - .now).components
    var readable = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
    guard poll(&readable, 1, Int32(clamping: milliseconds)) > 0 else { return nil }
    let (text, descriptor) = receive()
    if let descriptor { close(descriptor) }
    return text
  }

  /// The next message and the descriptor that came with it.
  func receive() -> (text: String, descriptor: Int32?) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A control message with one descriptor (cmsg(3)): length, level, kind, descriptor.
    var control = [Int64](repeating: 0, count: 8)
    var header = msghdr()
    let (count, length) = buffer.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { space in
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &part) { part in
          header.msg_iov = part
          header.msg_iovlen = 1
          header.msg_control = space.baseAddress
          header.msg_controllen = space.count
          return (recvmsg(file, &header, 0), header.msg_controllen)
        }
      }
    }
    let descriptor = control.withUnsafeBytes { $0.load(fromByteOffset: 16, as: Int32.self) }
    return (String(decoding: buffer.prefix(max(0, count)), as: UTF8.self), length >= 20 ? descriptor : nil)
  }
}

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ServiceManagerTests {
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

  @Test func theWatchdogIsFed() throws {
    let socket = try NotifySocket()
    let appliance = try Appliance(environment: [socket.variable, "WATCHDOG_USEC=300000"])
    var beats = 0
    for _ in 0..<50 where beats < 3 {
      let (text, descriptor) = socket.receive()
      if let descriptor { close(descriptor) }
      if text == "WATCHDOG=1" { beats += 1 }
    }
    #expect(beats == 3)
    #expect(appliance.end(SIGTERM) == 0)
  }

  @Test func theWatchdogIsNotFedWhenALoopHangs() throws {
    let hanging = try LoopThread(name: "hanging")
    let main = try LoopThread(name: "main")
    let beats = Locked(0)
    let first = Rendezvous<Bool>()
    let environment = ["WATCHDOG_USEC": "30000"]
    main.loop.execute { [loop = main.loop, watched = hanging.loop] in
      Watchdog(environment, watching: [watched], process: getpid()) {
        beats.withLock { $0 += 1 }
        first.give(true)
      }?.start(on: loop)
    }
    #expect(first.wait())
    let release = Rendezvous<Bool>()
    hanging.loop.execute { _ = release.wait() }
    // Ten times the interval: one beat may have been due already.
    let before = beats.withLock { $0 }
    let passed = Rendezvous<Int>()
    main.loop.execute { [loop = main.loop] in
      loop.schedule(after: .milliseconds(100)) { passed.give(beats.withLock { $0 }) }
    }
    #expect(passed.wait() <= before + 1)
    let fed = Rendezvous<Bool>()
    main.loop.execute { [loop = main.loop] in
      let seen = beats.withLock { $0 }
      func look() {
        if beats.withLock({ $0 }) > seen { return fed.give(true) }
        loop.schedule(after: .milliseconds(5)) { look() }
      }
      look()
    }
    release.give(true)
    #expect(fed.wait())
    main.stopAndJoin()
    hanging.stopAndJoin()
    // Somebody else's watchdog is not ours to feed.
    #expect(Watchdog(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"], watching: [], process: 2) {} == nil)
    #expect(Watchdog([:], watching: [], process: 2) {} == nil)
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
