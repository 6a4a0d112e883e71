import Gateways
import Testing

/// The state machine by reference: expectations can't call what mutates.
private final class Cache {
  private var token = FCMAccessToken()

  var isFetchUnderWay: Bool { token.isFetchUnderWay }

  func next(now: UInt64) -> FCMAccessToken.Action { token.next(now: now) }
  func refused(_ text: String, now: UInt64) -> Bool { token.refused(text, now: now) }
  func failed(_ outcome: GatewayOutcome, now: UInt64) { token.failed(outcome, now: now) }
  func received(_ text: String, lifetime: UInt64, now: UInt64) {
    token.received(text, lifetime: lifetime, now: now)
  }
}

@Suite struct FCMAccessTokenTests {
  private let outage = GatewayOutcome.unavailable(reason: "x", retryAfter: nil)

  @Test func oneFetchServesAllWaiting() {
    let token = Cache()
    #expect(token.next(now: 0) == .fetch)
    #expect(token.next(now: 0) == .wait)
    #expect(token.next(now: 1) == .wait)
    #expect(token.isFetchUnderWay)
    token.received("a", lifetime: 3600, now: 1)
    #expect(!token.isFetchUnderWay)
    #expect(token.next(now: 1) == .use("a"))
    #expect(token.next(now: 3300) == .use("a"))
  }

  @Test func aTokenIsRenewedFiveMinutesEarlyWhilePushesGoOn() {
    let token = Cache()
    _ = token.next(now: 0)
    token.received("a", lifetime: 3600, now: 0)
    #expect(token.next(now: 3299) == .use("a"))
    #expect(token.next(now: 3300) == .useAndFetch("a"))
    #expect(token.next(now: 3300) == .use("a"))
    // The fetch takes long: the token ends, and pushes wait.
    #expect(token.next(now: 3600) == .wait)
    token.received("b", lifetime: 3600, now: 3601)
    #expect(token.next(now: 3601) == .use("b"))
  }

  @Test func failuresBackOff() {
    let token = Cache()
    var now: UInt64 = 100
    for wait in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [UInt64] {
      #expect(token.next(now: now) == .fetch)
      token.failed(outage, now: now)
      #expect(token.next(now: now) == .fail(outage))
      #expect(token.next(now: now + wait - 1) == .fail(outage))
      now += wait
    }
    #expect(token.next(now: now) == .fetch)
    token.received("a", lifetime: 3600, now: now)
    #expect(token.next(now: now) == .use("a"))
    // A success forgets the failures.
    #expect(token.next(now: now + 3600) == .fetch)
    token.failed(outage, now: now + 3600)
    #expect(token.next(now: now + 3601) == .fetch)
  }

  @Test func theEndpointsOwnWaitCounts() {
    let token = Cache()
    _ = token.next(now: 0)
    token.failed(.throttled(retryAfter: 30), now: 0)
    #expect(token.next(now: 29) == .fail(.throttled(retryAfter: 30)))
    #expect(token.next(now: 30) == .fetch)
  }

  @Test func aFailedRenewalLeavesTheOldTokenInUse() {
    let token = Cache()
    _ = token.next(now: 0)
    token.received("a", lifetime: 3600, now: 0)
    #expect(token.next(now: 3400) == .useAndFetch("a"))
    token.failed(outage, now: 3400)
    #expect(token.next(now: 3400) == .use("a"))
    #expect(token.next(now: 3401) == .useAndFetch("a"))
    token.failed(outage, now: 3599)
    #expect(token.next(now: 3600) == .fail(outage))
  }

  @Test func aRefusedTokenIsRenewedOnce() {
    let token = Cache()
    _ = token.next(now: 0)
    token.received("a", lifetime: 3600, now: 0)
    #expect(token.refused("a", now: 100))
    #expect(token.next(now: 100) == .fetch)
    // Other pushes that were under way with the same token.
    #expect(token.refused("a", now: 100))
    #expect(token.next(now: 100) == .wait)
    token.received("b", lifetime: 3600, now: 101)
    #expect(token.refused("a", now: 102))
    #expect(token.next(now: 102) == .use("b"))
    // Refused at once: not its age is the fault, and fetching for every push would not help.
    #expect(!token.refused("b", now: 103))
    #expect(token.next(now: 103) == .use("b"))
    #expect(token.refused("b", now: 161))
    #expect(token.next(now: 161) == .fetch)
  }

  @Test func aTokenJustFetchedThatIsRefusedIsRenewedTheFirstTime() {
    let token = Cache()
    _ = token.next(now: 0)
    token.received("a", lifetime: 3600, now: 0)
    #expect(token.refused("a", now: 0))
    #expect(token.next(now: 0) == .fetch)
    token.received("b", lifetime: 3600, now: 1)
    #expect(!token.refused("b", now: 59))
    #expect(token.next(now: 59) == .use("b"))
    #expect(token.refused("b", now: 60))
    #expect(token.next(now: 60) == .fetch)
  }

  @Test func aShortLivedTokenIsNotFetchedForEveryPush() {
    let token = Cache()
    _ = token.next(now: 0)
    token.received("a", lifetime: 0, now: 0)
    #expect(token.next(now: 0) == .use("a"))
    #expect(token.next(now: 29) == .use("a"))
    #expect(token.next(now: 30) == .useAndFetch("a"))
    token.received("b", lifetime: .max, now: 30)
    #expect(token.next(now: 1_000_000_000) == .use("b"))
  }
}
