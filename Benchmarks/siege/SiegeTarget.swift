import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport

/// A pushbox process with registered clients, before a mock gateway.
final class SiegeTarget {
  /// Threads that push, and pushes of each in a second.
  private static let threads = 8
  private static let rate = 25

  let port: UInt16
  private let gateway: MockGateway
  private let relay: MockRelay
  private let folder: TemporaryFolder
  private let process: ChildProcess
  private var clients: [String] = []

  init() throws {
    gateway = try MockGateway.start()
    relay = try MockRelay()
    folder = try TemporaryFolder()
    var settings = MockConfiguration(
      folder: folder.path, gateway: gateway, relayPublicKey: relay.publicKeyHex)
    // Loopback counts like any other address.
    settings.more = "[limits]\nexempt = []\n[log]\nlevel = \"info\""
    try settings.write()
    process = try ChildProcess("pushbox", ["serve", "--config", settings.path])
    guard process.waitForOutput(" serves "), let port = Self.port(in: process.text) else {
      throw TestSupportError("pushbox did not start: \(process.text)")
    }
    self.port = port
    let client = BlockingHTTPClient(port: port)
    for index in 0..<50 {
      let wallet = try MockWallet()
      let response = try client.send(
        "POST", "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(
          clientID: wallet.clientID, type: "apns",
          token: String(repeating: "0", count: 60) + "\(1000 + index)",
          alwaysRaw: true))
      guard response.status == 200 else { throw TestSupportError("registration: \(response.text)") }
      clients.append(wallet.clientID)
    }
  }

  deinit { gateway.stop() }

  private static func port(in log: String) -> UInt16? {
    guard let start = log.firstRange(of: "address=127.0.0.1:")?.upperBound else { return nil }
    return UInt16(log[start...].prefix { $0.isNumber })
  }

  /// A push that nobody but a stranger has signed.
  func forgedRequest() throws -> [UInt8] {
    let body = MockRelay.rawBody(topic: "siege", tag: 1108, message: "forged")
    let fields = try MockRelay().pushFields(body, timestamp: WallClock.seconds())
    var head = "POST /clients/\(clients[0]) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }

  /// Pushes at a steady rate for some seconds.
  func measure(seconds: Int) throws -> Latencies {
    let shares = (0..<Self.threads).map { thread -> Rendezvous<Latencies> in
      let share = Rendezvous<Latencies>()
      let (port, relay, clients) = (port, relay, clients)
      let worker = try? SystemThread(name: "push-\(thread)") {
        share.give(Self.push(thread, seconds, port, relay, clients))
      }
      if let worker { worker.detach() } else { share.give(Latencies()) }
      return share
    }
    var all = Latencies()
    for share in shares { all.add(share.wait()) }
    return all
  }

  private static func push(
    _ thread: Int, _ seconds: Int, _ port: UInt16, _ relay: MockRelay, _ clients: [String]
  ) -> Latencies {
    var done = Latencies()
    let client = BlockingHTTPClient(port: port)
    let interval = Duration.seconds(1) / rate
    var next = MonotonicTime.now() + interval * thread / threads
    for _ in 0..<(seconds * rate) {
      let left = next - .now()
      if left > .zero { usleep(UInt32(clamping: left.wholeNanoseconds / 1000)) }
      next = next + interval
      let body = MockRelay.rawBody(topic: "siege", tag: 1108, message: "\(UInt64.random(in: 0...(.max)))")
      guard let fields = try? relay.pushFields(body, timestamp: WallClock.seconds()),
        let target = clients.randomElement()
      else { continue }
      let start = MonotonicTime.now()
      let answer = try? client.send("POST", "/clients/\(target)", fields: fields, body: body)
      done.add((.now() - start), isGood: answer?.status == 202)
    }
    return done
  }
}

/// How long pushes took.
struct Latencies: Sendable, CustomStringConvertible {
  private var microseconds: [Int64] = []
  private(set) var failures = 0

  mutating func add(_ duration: Duration, isGood: Bool) {
    microseconds.append(duration.wholeNanoseconds / 1000)
    if !isGood { failures += 1 }
  }

  mutating func add(_ other: Latencies) {
    microseconds += other.microseconds
    failures += other.failures
  }

  /// Microseconds.
  func percentile(_ percent: Int) -> Int64 {
    let sorted = microseconds.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  var description: String {
    "\(microseconds.count) pushes, \(failures) not delivered, p50 \(percentile(50)) us, p99 \(percentile(99)) us, "
      + "longest \(percentile(100)) us"
  }
}
