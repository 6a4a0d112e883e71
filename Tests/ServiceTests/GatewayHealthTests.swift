import EventLoop
import Gateways
import Testing

@testable import Service

@Suite struct GatewayHealthTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private let expired = GatewayConnectionFault(
    peer: "api.push.apple.com:443", cause: .tls(.certificate(.expired)))
  private let refused = GatewayConnectionFault(peer: "api.push.apple.com:443", cause: .network("refused"))

  @Test func aChangeIsToldOnce() {
    let health = GatewayHealth(name: "apns")
    #expect(health.state == .unused)
    #expect(health.note(.accepted, at: start).change == .ok)
    #expect(health.note(.accepted, at: start).change == nil)
    let rejected = GatewayHealth.State.rejected(reason: "TopicDisallowed", advice: "check the topic")
    let outcome = GatewayOutcome.rejected(reason: "TopicDisallowed", advice: "check the topic")
    #expect(health.note(outcome, at: start).change == rejected)
    #expect(health.note(outcome, at: start).change == nil)
    #expect(health.note(.rejected(reason: "Forbidden", advice: "a"), at: start).change?.reason == "Forbidden")
  }

  @Test func faultsInARowDegradeIt() {
    let health = GatewayHealth(name: "fcm")
    for _ in 0..<4 { _ = health.note(.unavailable(reason: "HTTP 502", retryAfter: nil), at: start) }
    #expect(health.state == .unused)
    _ = health.note(.timedOut, at: start)
    #expect(health.state == .degraded(reason: "no answer in time"))
    _ = health.note(.accepted, at: start)
    #expect(health.state == .ok)
  }

  @Test func throttlingIsNoFault() {
    let health = GatewayHealth(name: "fcm")
    _ = health.note(.accepted, at: start)
    for second in 0..<60 { _ = health.note(.throttled(retryAfter: 60), at: start + .seconds(second)) }
    #expect(health.state == .ok)
    #expect(health.admit(at: start + .seconds(60)) == .pass)
  }

  @Test func anInvalidCertificateIsToldAtOnceAndARefusedConnectionAfterAWhile() {
    let health = GatewayHealth(name: "apns")
    let change = health.note(.unreachable(expired), at: start).change
    #expect(change?.label == .unreachable)
    #expect(change?.advice?.contains("clock") == true)
    #expect(change?.reason?.contains("it has expired") == true)
    let other = GatewayHealth(name: "apns")
    for _ in 0..<4 { _ = other.note(.unreachable(refused), at: start) }
    #expect(other.state == .unused)
    _ = other.note(.unreachable(refused), at: start)
    #expect(other.state.label == .unreachable)
  }

  @Test func anOutageIsAnsweredAtOnceButForProbes() {
    let health = GatewayHealth(name: "apns")
    for second in 0...20 { _ = health.note(.unreachable(refused), at: start + .seconds(second)) }
    let now = start + .seconds(25)
    #expect(health.admit(at: now) == .probe)
    #expect(health.admit(at: now) == .refuse(.gatewayUnavailable(reason: refused.reason)))
    _ = health.note(.accepted, at: now, isProbe: true)
    #expect(health.state == .ok)
    #expect(health.admit(at: now) == .pass)
  }

  @Test func refusedCredentialsAreFinalButForProbes() {
    let health = GatewayHealth(name: "fcm")
    for _ in 0..<CircuitBreaker.minimumRefusals {
      #expect(health.admit(at: start) == .pass)
      _ = health.note(.rejected(reason: "invalid_grant", advice: "a"), at: start)
    }
    #expect(health.admit(at: start) == .probe)
    #expect(health.admit(at: start) == .refuse(.gatewayRejected(reason: "invalid_grant")))
  }

  @Test func aPlatformThatIsRefusedConcernsNoOther() {
    let health = GatewayHealth(name: "fcm")
    _ = health.note(.accepted, at: start)
    func refusal(at time: MonotonicTime) -> GatewayHealth.Finding {
      health.note(.platformRefused(reason: "THIRD_PARTY_AUTH_ERROR", advice: "upload a key"), at: time)
    }
    #expect(refusal(at: start).platformAdvice == "upload a key")
    for _ in 0..<100 { #expect(refusal(at: start + .seconds(599)) == GatewayHealth.Finding()) }
    #expect(refusal(at: start + .seconds(600)).platformAdvice == "upload a key")
    #expect(health.state == .ok)
    #expect(health.admit(at: start) == .pass)
  }

  @Test(arguments: [
    GatewayOutcome.rejected(reason: "InvalidProviderToken", advice: "a"),
    .unreachable(GatewayConnectionFault(peer: "api.push.apple.com:443", cause: .tls(.certificate(.expired)))),
  ])
  func badNewsIsBelievedForAMinute(outcome: GatewayOutcome) {
    let health = GatewayHealth(name: "apns")
    #expect(health.isUsable(at: start))
    _ = health.note(outcome, at: start)
    _ = health.note(outcome, at: start + .seconds(30))
    #expect(!health.isUsable(at: start + .seconds(89)))
    #expect(health.isUsable(at: start + .seconds(90)))
    _ = health.note(.accepted, at: start + .seconds(31))
    #expect(health.isUsable(at: start + .seconds(32)))
  }

  @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic", "SENDER_ID_MISMATCH", "INVALID_ARGUMENT"])
  func aFleetOfRefusalsIsSuspect(reason: String) {
    let health = GatewayHealth(name: "apns")
    var kept = 0
    for _ in 0..<30 where health.note(.deadToken(reason: reason, since: nil), at: start).keepsToken {
      kept += 1
    }
    #expect(kept == 11)
    #expect(health.state.label == .suspect)
    #expect(health.state.advice?.contains("none is given up") == true)
    // A device that still works does not clear the suspicion while most do not.
    _ = health.note(.accepted, at: start)
    #expect(health.state.label == .suspect)
    _ = health.note(.accepted, at: start + .seconds(2 * Int64(PurgeBrake.windowSeconds) + 1))
    #expect(health.state == .ok)
  }

  @Test func devicesThatAreGoneNeverEngageTheBrake() {
    let health = GatewayHealth(name: "apns")
    for _ in 0..<100 {
      #expect(!health.note(.deadToken(reason: "Unregistered", since: nil), at: start).keepsToken)
    }
    #expect(health.state == .ok)
  }

  @Test func theShareIsConfigured() {
    let health = GatewayHealth(name: "apns", brakeShare: 90)
    for _ in 0..<10 { _ = health.note(.accepted, at: start) }
    for _ in 0..<89 {
      #expect(!health.note(.deadToken(reason: "BadDeviceToken", since: nil), at: start).keepsToken)
    }
    for _ in 0..<2 { _ = health.note(.deadToken(reason: "BadDeviceToken", since: nil), at: start) }
    #expect(health.state.label == .suspect)
  }
}
