import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Clients that push without a pause and count what becomes of it.
private final class RestartLoad: Sendable {
  private struct Count {
    var answered = 0
    var lost: [String] = []
    var isOver = false
  }

  private let count = Locked(Count())
  private let threads: [Rendezvous<Bool>]

  var answered: Int { count.withLock { $0.answered } }
  var lost: [String] { count.withLock { $0.lost } }

  /// Half of the clients keep their connection, the others open one for each push.
  init(clients: Int, _ relay: MockRelay, _ wallet: MockWallet, port: UInt16) throws {
    var threads: [Rendezvous<Bool>] = []
    for client in 0..<clients {
      let end = Rendezvous<Bool>()
      let count = self.count
      try SystemThread(name: "load-\(client)") {
        let connection = BlockingHTTPClient(port: port, timeoutSeconds: 20)
        var number = 0
        while !count.withLock({ $0.isOver }) {
          number += 1
          let body = MockRelay.rawBody(topic: "topic", tag: 1108, message: "\(client)-\(number)")
          do {
            let response = try connection.send(
              "POST", "/clients/\(wallet.clientID)",
              fields: relay.pushFields(body, timestamp: WallClock.seconds()), body: body)
            count.withLock { count in
              if response.status == 202 { count.answered += 1 } else { count.lost.append(response.text) }
            }
            // As HTTP wants it: after the last answer the connection ends.
            if client % 2 == 0 || response.field("connection") == "close" { connection.disconnect() }
          } catch {
            count.withLock { $0.lost.append("client \(client): \(error)") }
            connection.disconnect()
          }
        }
        end.give(true)
      }.detach()
      threads.append(end)
    }
    self.threads = threads
  }

  /// Waits until that many more pushes are answered, or one is lost; for 20 seconds at most.
  func waitForAnswers(_ more: Int) {
    let (start, deadline) = (answered, MonotonicTime.now() + .seconds(20))
    while answered < start + more, lost.isEmpty, MonotonicTime.now() < deadline { sched_yield() }
  }

  func end() {
    count.withLock { $0.isOver = true }
    for thread in threads { _ = thread.wait() }
  }
}

/// A restart under load loses no request, as long as somebody holds the listening sockets meanwhile.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct HandOverTests {
  private static let restarts = 3

  /// Starts pushbox as systemd does, with listening sockets from descriptor 3 on.
  private func serve(
    _ appliance: Appliance, _ descriptors: [Int32], names: String, environment: [String] = []
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      "/bin/sh",
      [
        "-c", "LISTEN_PID=$$ exec \"$0\" serve --config \"$1\"", ChildProcess.products + "/pushbox",
        appliance.settings.path,
      ],
      environment: [
        "PATH=/usr/bin:/bin", "LISTEN_FDS=\(descriptors.count)", "LISTEN_FDNAMES=\(names)",
      ] + environment, descriptors: descriptors)
    guard process.waitForOutput(" serves ") else {
      throw TestSupportError("pushbox did not start: \(process.text)")
    }
    return process
  }

  private func listeningSocket() throws -> (descriptor: Int32, port: UInt16) {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, length) == 0 && listen(file, 1024) == 0 && getsockname(file, $0, &length) == 0
      }
    }
    guard isBound else { throw TestSupportError("no listening socket: \(errno)") }
    return (file, UInt16(bigEndian: address.sin_port))
  }

  @Test func withASocketUnitARestartLosesNoPush() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(appliance.end(SIGTERM) == 0)
    let (descriptor, port) = try listeningSocket()
    defer { close(descriptor) }
    try appliance.configure { $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)") }

    var process = try serve(appliance, [descriptor], names: "pushbox.socket")
    let load = try RestartLoad(clients: 6, appliance.relay, wallet, port: port)
    for _ in 0..<Self.restarts {
      load.waitForAnswers(50)
      process.kill(SIGTERM)
      #expect(process.wait() == 0)
      process = try serve(appliance, [descriptor], names: "pushbox.socket")
    }
    load.waitForAnswers(50)
    load.end()
    #expect(load.lost.isEmpty, "\(load.lost.prefix(5))")
    #expect(load.answered >= 50)
    #expect(appliance.gateway.deliveryCount == load.answered)
    process.kill(SIGTERM)
    #expect(process.wait() == 0)
  }

  @Test func socketsLeftWithSystemdAreTakenUpAgain() throws {
    let socket = try NotifySocket()
    let appliance = try Appliance(environment: [socket.variable])
    let wallet = try appliance.registered()
    let port = appliance.port
    // One for each worker.
    var stored: [Int32] = []
    defer { for descriptor in stored { close(descriptor) } }
    while true {
      let (text, descriptor) = socket.receive()
      guard let descriptor else { break }
      #expect(text == "FDSTORE=1\nFDPOLL=0\nFDNAME=listen@127.0.0.1,\(port)")
      stored.append(descriptor)
    }
    try #require(stored.count == 2)
    try appliance.configure { $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)") }
    let names = "listen@127.0.0.1,\(port):listen@127.0.0.1,\(port)"

    let load = try RestartLoad(clients: 6, appliance.relay, wallet, port: port)
    load.waitForAnswers(50)
    #expect(appliance.end(SIGTERM) == 0)
    var process = try serve(appliance, stored, names: names)
    for workers in [1, 3] {
      load.waitForAnswers(50)
      process.kill(SIGTERM)
      #expect(process.wait() == 0)
      // Fewer workers than sockets, then more: each socket is served.
      try appliance.configure {
        $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)")
          .replacing("workers = 2", with: "workers = \(workers)")
      }
      process = try serve(appliance, stored, names: names)
    }
    load.waitForAnswers(50)
    load.end()
    #expect(load.lost.isEmpty, "\(load.lost.prefix(5))")
    #expect(appliance.gateway.deliveryCount == load.answered)
    process.kill(SIGTERM)
    #expect(process.wait() == 0)
  }

  @Test func aSocketAtAnotherAddressIsRefused() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGTERM) == 0)
    let (descriptor, port) = try listeningSocket()
    defer { close(descriptor) }
    #expect(throws: TestSupportError.self) {
      _ = try serve(appliance, [descriptor], names: "pushbox.socket")
    }
    // What an earlier run left at an address that is no longer configured is given back.
    let socket = try NotifySocket()
    let process = try serve(
      appliance, [descriptor], names: "listen@127.0.0.1,\(port)", environment: [socket.variable])
    #expect(socket.receive().text == "FDSTOREREMOVE=1\nFDNAME=listen@127.0.0.1,\(port)")
    process.kill(SIGTERM)
    #expect(process.wait() == 0)
  }
}
