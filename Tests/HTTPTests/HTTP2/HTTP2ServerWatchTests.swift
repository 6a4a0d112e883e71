import EventLoop
import Testing

@testable import HTTP

@Suite struct HTTP2ServerWatchTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func makeWatch() -> HTTP2ServerWatch {
    var options = HTTPServerOptions()
    options.headTimeout = .seconds(10)
    options.bodyTimeout = .seconds(30)
    options.idleTimeout = .seconds(75)
    options.writeTimeout = .seconds(20)
    return HTTP2ServerWatch(options: options, now: start)
  }

  @Test func idlenessCountsFromTheLastStream() {
    var watch = makeWatch()
    watch.progressed(now: start + .seconds(50))
    let early = watch.check(
      now: start + .seconds(124), incomplete: [], openStreams: 0, awaitingHandler: false, pendingBytes: 0)
    #expect(early.connection == .goesOn)
    let late = watch.check(
      now: start + .seconds(125), incomplete: [], openStreams: 0, awaitingHandler: false, pendingBytes: 0)
    #expect(late.connection == .isIdle)
  }

  @Test func aSlowHandlerIsNotThePeersFault() {
    var watch = makeWatch()
    let verdict = watch.check(
      now: start + .seconds(1000), incomplete: [], openStreams: 1, awaitingHandler: true, pendingBytes: 0)
    #expect(verdict.connection == .goesOn)
  }

  @Test func outputThatNobodyTakesStalls() {
    var watch = makeWatch()
    let inSession = watch.check(
      now: start + .seconds(20), incomplete: [], openStreams: 1, awaitingHandler: false, pendingBytes: 0)
    #expect(inSession.connection == .isStalled)
    let inTransport = watch.check(
      now: start + .seconds(20), incomplete: [], openStreams: 1, awaitingHandler: true, pendingBytes: 9)
    #expect(inTransport.connection == .isStalled)
    // It shrinks: the peer is slow but alive.
    let shrinking = watch.check(
      now: start + .seconds(30), incomplete: [], openStreams: 1, awaitingHandler: true, pendingBytes: 8)
    #expect(shrinking.connection == .goesOn)
  }

  @Test func aRequestThatDoesNotEndIsToldOnce() {
    var watch = makeWatch()
    func check(_ seconds: Int, _ incomplete: [Int32]) -> [Int32] {
      watch.check(
        now: start + .seconds(seconds), incomplete: incomplete, openStreams: 2, awaitingHandler: true,
        pendingBytes: 0
      ).tooSlow
    }
    #expect(check(10, [1]) == [])
    #expect(check(20, [1, 3]) == [])
    #expect(check(49, [1, 3]) == [])
    #expect(check(50, [1, 3]) == [1])
    #expect(check(60, [3]) == [3])
  }
}
