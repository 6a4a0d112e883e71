import EventLoop
import Testing

@testable import Service

@Suite struct CircuitBreakerTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func opened() -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for second in 0...20 { breaker.fail(at: start + .seconds(second)) }
    return breaker
  }

  @Test func aBlipIsLeftToRetries() {
    var breaker = CircuitBreaker()
    // Thousands of pushes may fail in one instant.
    for _ in 0..<5000 { breaker.fail(at: start) }
    #expect(breaker.admit(at: start) == .pass)
    breaker.fail(at: start + .milliseconds(9999))
    #expect(!breaker.isOpen)
    breaker.fail(at: start + .seconds(10))
    #expect(breaker.isOpen)
  }

  @Test func aFewFaultsOverALongTimeDoNotOpenIt() {
    var breaker = CircuitBreaker()
    for hour in 0..<(CircuitBreaker.minimumFaults - 1) {
      breaker.fail(at: start + .seconds(hour * 3600))
    }
    #expect(!breaker.isOpen)
  }

  @Test func singleProbesWithGrowingPauses() {
    var breaker = opened()
    // It opened with the twentieth fault.
    var now = start + .seconds(19)
    #expect(breaker.admit(at: now) == .refuse)
    for pause in [1, 1, 2, 4, 5, 5, 5] {
      #expect(breaker.admit(at: now + .milliseconds(pause * 1000 - 1)) == .refuse)
      now = now + .seconds(pause)
      // The last probe may still wait for its answer.
      #expect(breaker.admit(at: now) == .probe)
      #expect(breaker.admit(at: now) == .refuse)
    }
  }

  /// A relay waits 30 s for an answer and then tries again.
  @Test func aGatewayThatIsBackIsFoundWithinSeconds() {
    #expect(CircuitBreaker.longestPause <= .seconds(10))
  }

  @Test func aProbeThatSucceedsClosesIt() {
    var breaker = opened()
    let now = start + .seconds(30)
    #expect(breaker.admit(at: now) == .probe)
    breaker.succeed()
    #expect(breaker.admit(at: now) == .pass)
    #expect(breaker.admit(at: now) == .pass)
  }

  @Test func aProbeWithoutAnAnswerMakesRoomForTheNext() {
    var breaker = opened()
    let now = start + .seconds(30)
    #expect(breaker.admit(at: now) == .probe)
    breaker.probeEnded()
    #expect(breaker.admit(at: now) == .probe)
  }

  @Test func credentialsRefusedAFewTimesInARowOpenItAndTheFirstProbeGoesAtOnce() {
    var breaker = CircuitBreaker()
    for _ in 1..<CircuitBreaker.minimumRefusals { breaker.refuse() }
    #expect(breaker.admit(at: start) == .pass)
    breaker.refuse()
    #expect(breaker.admit(at: start) == .probe)
    #expect(breaker.admit(at: start) == .refuse)
    #expect(breaker.admit(at: start + .seconds(1)) == .probe)
  }

  @Test func strayRefusalsAmongGoodAnswersNeverOpenIt() {
    var breaker = CircuitBreaker()
    for _ in 0..<100 {
      for _ in 1..<CircuitBreaker.minimumRefusals { breaker.refuse() }
      #expect(breaker.admit(at: start) == .pass)
      breaker.succeed()
    }
  }

  @Test func latePushesDoNotDelayTheProbe() {
    var breaker = opened()
    // Under way since before it opened.
    breaker.fail(at: start + .seconds(21))
    #expect(breaker.admit(at: start + .seconds(21)) == .probe)
  }
}
