import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport

/// A few seconds of load, and what came of it.
struct Round {
  struct Result {
    var pushes = 0
    /// Answers that are not 202.
    var failures = 0
    var longest = Duration.zero
    /// Acknowledged and not at the gateway.
    var lost = 0
    /// At the gateway more than once.
    var doubled = 0
    /// Doubled although no connection died in between.
    var unexplained = 0
  }

  private struct Share: Sendable {
    var acknowledged: [String] = []
    var failures = 0
    var longest = Duration.zero
  }

  private let rate: Int
  private let gateway: MockGateway
  private let number: Int

  init(_ rate: Int, _ gateway: MockGateway, _ number: Int) {
    self.rate = rate
    self.gateway = gateway
    self.number = number
  }

  func run(clients: [String], relay: MockRelay, port: UInt16, threads: Int) throws -> Result {
    gateway.resetDeliveries()
    let isOver = Locked(false)
    let chaos = try SystemThread(name: "chaos") { [rate, gateway] in
      Self.disturb(gateway, rate) { isOver.withLock { $0 } }
    }
    let perThread = rate * SoakRun.roundSeconds / threads
    let interval = Duration.seconds(SoakRun.roundSeconds) / perThread
    let shares = (0..<threads).map { thread -> Rendezvous<Share> in
      let share = Rendezvous<Share>()
      let number = number
      let worker = try? SystemThread(name: "load-\(thread)") {
        var done = Share()
        let client = BlockingHTTPClient(port: port)
        var next = MonotonicTime.now()
        for index in 0..<perThread {
          Self.sleep(until: next)
          next = next + interval
          let message = "\(number).\(thread).\(index)"
          let start = MonotonicTime.now()
          let body = MockRelay.rawBody(topic: "soak", tag: 1108, message: message)
          let answer = try? client.send(
            "POST", "/clients/\(clients[(thread * perThread + index) % clients.count])",
            fields: relay.pushFields(body, timestamp: WallClock.seconds()), body: body)
          done.longest = max(done.longest, .now() - start)
          if answer?.status == 202 { done.acknowledged.append(message) } else { done.failures += 1 }
        }
        share.give(done)
      }
      if let worker { worker.detach() } else { share.give(Share()) }
      return share
    }.map { $0.wait() }
    isOver.withLock { $0 = true }
    chaos.join()
    return judge(shares)
  }

  private func judge(_ shares: [Share]) -> Result {
    var connections: [String: [Int]] = [:]
    for delivery in gateway.deliveries {
      guard let message = delivery.payload["message"]?.stringValue else { continue }
      connections[message, default: []].append(delivery.connection)
    }
    var result = Result()
    for share in shares {
      result.pushes += share.acknowledged.count + share.failures
      result.failures += share.failures
      result.longest = max(result.longest, share.longest)
      result.lost += share.acknowledged.count { connections[$0] == nil }
    }
    for used in connections.values where used.count > 1 {
      result.doubled += 1
      if Set(used).count < used.count { result.unexplained += 1 }
    }
    return result
  }

  /// Ends with the round's load, not with its last answer: failures that are ordered while only a few late
  /// pushes are under way would all hit those, and stay for the next round.
  private static func disturb(_ gateway: MockGateway, _ rate: Int, _ isOver: () -> Bool) {
    let end = MonotonicTime.now() + .seconds(SoakRun.roundSeconds)
    var tick = 0
    while !isOver(), .now() < end {
      gateway.clearReactions()
      gateway.next(max(1, rate / 1000), .apns(.serviceUnavailable), at: .apnsProduction)
      if tick % 10 == 5 { gateway.disconnectOne(at: .apnsProduction) }
      if tick % 30 == 25 { gateway.goAway(at: .apnsProduction) }
      tick += 1
      sleep(until: .now() + .milliseconds(100))
    }
    gateway.clearReactions()
  }

  private static func sleep(until time: MonotonicTime) {
    let left = time - .now()
    guard left > .zero else { return }
    var pause = timespec(
      tv_sec: Int(left.wholeNanoseconds / 1_000_000_000), tv_nsec: Int(left.wholeNanoseconds % 1_000_000_000))
    nanosleep(&pause, nil)
  }
}
