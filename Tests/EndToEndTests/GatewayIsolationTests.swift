import Bytes
import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What is wrong with one gateway is none of the others' business.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct GatewayIsolationTests {
  enum Trouble: String, CaseIterable {
    case appleBlackHole, appleSilent, appleRefuses, googleBlackHole, tokenEndpointBlackHole, googleRefuses

    var kind: String {
      switch self {
      case .appleBlackHole, .appleSilent, .appleRefuses: "apns"
      case .googleBlackHole, .tokenEndpointBlackHole, .googleRefuses: "fcm"
      }
    }

    func begin(at gateway: MockGateway) {
      switch self {
      case .appleBlackHole: gateway.setBlackHole(true, at: .apnsProduction)
      case .appleSilent: gateway.always(.neverAnswer, at: .apnsProduction)
      case .appleRefuses: gateway.always(.apns(.invalidProviderToken), at: .apnsProduction)
      case .googleBlackHole: gateway.setBlackHole(true, at: .fcm)
      case .tokenEndpointBlackHole: gateway.setBlackHole(true, at: .oauth)
      case .googleRefuses: gateway.always(.oauth("invalid_grant"), at: .oauth)
      }
    }
  }

  /// 400 pushes of four threads, one after another each.
  private func run(_ appliance: Appliance, kind: String) throws -> (statuses: [Int], slow: Duration) {
    let wallet = try appliance.registered(kind: kind)
    let times = try Parallel.map(4) { thread in
      let client = appliance.client()
      return try (0..<100).map { index -> (Int, Duration) in
        let start = MonotonicTime.now()
        let body = Appliance.raw("\(start.nanoseconds).\(thread).\(index)")
        let status = try appliance.push(wallet.clientID, body, over: client).status
        return (status, MonotonicTime.now() - start)
      }
    }.flatMap { $0 }
    let sorted = times.map(\.1).sorted()
    return (times.map(\.0), sorted[sorted.count * 95 / 100])
  }

  @Test(arguments: Trouble.allCases)
  func oneGatewaysTroubleLeavesTheOthersRateAndLatencyAlone(trouble: Trouble) throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 4000" }
    let other = trouble.kind == "apns" ? "fcm" : "apns"
    let wallet = try appliance.registered(kind: trouble.kind)
    let quiet = try run(appliance, kind: other)
    #expect(quiet.statuses.allSatisfy { $0 == 202 })
    trouble.begin(at: appliance.gateway)
    let begun = Locked(0)
    let stuck = try Offloaded {
      try Parallel.map(100) { index in
        begun.withLock { $0 += 1 }
        return try appliance.push(wallet.clientID, Appliance.raw("\(index)")).status
      }
    }
    while begun.withLock({ $0 }) < 50 { sched_yield() }
    let beside = try run(appliance, kind: other)
    #expect(beside.statuses.allSatisfy { $0 == 202 })
    // Generous: the machine is shared. A queue in common would cost seconds.
    #expect(beside.slow < quiet.slow * 5 + .milliseconds(100))
    #expect(try stuck.value().allSatisfy { $0 >= 424 })
    #expect(try appliance.state(other) == "ok")
    #expect(try appliance.tombstones() == 0)
    appliance.gateway.setBlackHole(false, at: Appliance.service(trouble.kind))
    appliance.gateway.setBlackHole(false, at: .oauth)
  }
}
