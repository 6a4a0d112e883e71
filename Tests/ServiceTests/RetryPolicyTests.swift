import EventLoop
import Gateways
import Testing

@testable import Service

@Suite struct RetryPolicyTests {
  private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func policy(seconds: Int = 25) -> RetryPolicy { RetryPolicy(deadline: now + .seconds(seconds)) }

  @Test func finalAnswersAreNotRetried() {
    let cases: [(GatewayOutcome, PushResult)] = [
      (.accepted, .accepted),
      (.payloadTooLarge, .payloadTooLarge),
      (.timedOut, .gatewayTimeout),
      (.invalidRequest(reason: "BadPath"), .gatewayRejected(reason: "BadPath")),
      (.deadToken(reason: "Unregistered", since: 1), .clientDeleted(reason: "Unregistered")),
      (
        .rejected(reason: "InvalidProviderToken", advice: "check"),
        .gatewayRejected(reason: "InvalidProviderToken")
      ),
    ]
    for (outcome, result) in cases {
      var policy = policy()
      #expect(policy.next(after: outcome, at: now, jitter: 0) == .finish(result))
    }
  }

  @Test func faultsAreRetriedLaterAndLater() {
    var policy = policy(seconds: 1000)
    var delays: [Duration] = []
    for _ in 0..<8 {
      guard
        case .retry(let delay) = policy.next(
          after: .unavailable(reason: "r", retryAfter: nil), at: now, jitter: 1)
      else {
        Issue.record("not retried")
        return
      }
      delays.append(delay)
    }
    #expect(
      delays == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
        + [Duration](repeating: .seconds(8), count: 3))
  }

  @Test func jitterTakesUpToHalf() {
    var policy = policy()
    #expect(
      policy.next(after: .unavailable(reason: "r", retryAfter: nil), at: now, jitter: 0)
        == .retry(after: .milliseconds(125)))
  }

  @Test func theGatewaysWordIsHonouredWithinTheDeadline() {
    var policy = policy(seconds: 10)
    #expect(
      policy.next(after: .throttled(retryAfter: 9), at: now, jitter: 1) == .retry(after: .milliseconds(9250)))
    #expect(
      policy.next(after: .throttled(retryAfter: 10), at: now, jitter: 1)
        == .finish(.gatewayBusy(retryAfter: 10)))
    #expect(
      policy.next(after: .unavailable(reason: "r", retryAfter: .max), at: now, jitter: 1)
        == .finish(.gatewayUnavailable(reason: "r")))
  }

  @Test(arguments: [GatewayOutcome.throttled(retryAfter: 0), .unavailable(reason: "r", retryAfter: 0)])
  func noTimeAtAllStillMeansPauses(outcome: GatewayOutcome) {
    var policy = policy()
    for delay in [250, 500, 1000] as [Int64] {
      #expect(policy.next(after: outcome, at: now, jitter: 1) == .retry(after: .milliseconds(delay)))
    }
  }

  @Test func noRetryBeginsTooLateToSucceed() {
    var policy = RetryPolicy(deadline: now + .milliseconds(400))
    #expect(
      policy.next(after: .unavailable(reason: "r", retryAfter: nil), at: now, jitter: 1)
        == .finish(.gatewayUnavailable(reason: "r")))
  }

  @Test func anEarlierFaultIsToldRatherThanTheDeadline() {
    let now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var policy = RetryPolicy(deadline: now + .seconds(5))
    guard
      case .retry = policy.next(
        after: .unavailable(reason: "HTTP 502", retryAfter: nil), at: now, jitter: 0)
    else {
      Issue.record("no retry")
      return
    }
    #expect(
      policy.next(after: .timedOut, at: now + .seconds(5), jitter: 0)
        == .finish(.gatewayUnavailable(reason: "HTTP 502")))
  }
}
