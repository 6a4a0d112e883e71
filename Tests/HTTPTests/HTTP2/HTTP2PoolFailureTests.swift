import Testing

@testable import HTTP

/// Connections that do not come about or are lost.
@Suite struct HTTP2PoolFailureTests: HTTP2PoolSuite {
  @Test func waitingRequestsSurviveAFailedAttempt() {
    var pool = pool()
    _ = pool.enqueue(1)
    let actions = pool.connectionClosed(0, lost)
    #expect(actions.count == 1 && isBackoff(actions.first))
    #expect(pool.enqueue(2) == [])
    #expect(pool.backoffElapsed() == [.open(1)])
    #expect(pool.connectionReady(1, maxStreams: 5) == [.start(1, on: 1), .start(2, on: 1)])
  }

  @Test func theLastErrorIsToldAfterSeveralFailures() {
    var pool = pool { $0.connectFailureLimit = 3 }
    _ = pool.enqueue(1)
    _ = pool.enqueue(2)
    for attempt in 0..<2 {
      #expect(pool.connectionClosed(attempt, .connectFailed("early")).count == 1)
      #expect(pool.backoffElapsed() == [.open(attempt + 1)])
    }
    let actions = pool.connectionClosed(2, lost)
    #expect(isBackoff(actions.first))
    #expect(Array(actions.dropFirst()) == [.fail(1, lost), .fail(2, lost)])
    // Nobody waits, so nothing is opened; the next request has one attempt at a time.
    #expect(pool.backoffElapsed() == [])
    #expect(pool.enqueue(3) == [.open(3)])
    #expect(pool.connectionClosed(3, lost).contains(.fail(3, lost)))
    #expect(pool.enqueue(4) == [])
    #expect(pool.backoffElapsed() == [.open(4)])
    _ = pool.connectionReady(4, maxStreams: 1)
    _ = pool.streamClosed(4, answered: true)
    _ = pool.requestDone(4)
    // An answer wipes the slate.
    _ = pool.connectionClosed(4, lost)
    #expect(pool.enqueue(5) == [.open(5)])
    #expect(pool.connectionClosed(5, lost).count == 1)
  }

  @Test func aFurtherConnectionThatFailsHurtsNobody() {
    var pool = proven(maxStreams: 1) { $0.connectFailureLimit = 1 }
    _ = pool.enqueue(2)
    #expect(pool.enqueue(3) == [.open(1)])
    let actions = pool.connectionClosed(1, lost)
    #expect(actions.count == 1 && isBackoff(actions.first))
    #expect(pool.streamClosed(0, answered: true) == [.start(3, on: 0)])
  }

  @Test func requestsOnALostConnectionFail() {
    var pool = proven(maxStreams: 5)
    _ = pool.enqueue(2)
    _ = pool.enqueue(3)
    _ = pool.requestDone(2)
    #expect(pool.connectionClosed(0, lost) == [.fail(3, .connectionLost(afterSend: true))])
    #expect(pool.activeStreams == 0)
    #expect(pool.streamClosed(0, answered: false) == [])
    #expect(pool.requestRefused(3) == [])
  }

  @Test func requestsNotYetSentOnALostConnectionGoBack() {
    var pool = proven(maxStreams: 5) { $0.maxRefusals = 0 }
    _ = pool.enqueue(2)
    _ = pool.enqueue(3)
    #expect(
      pool.connectionClosed(0, lost, unsent: [3]) == [.fail(2, .connectionLost(afterSend: true)), .open(1)])
    _ = pool.connectionReady(1, maxStreams: 5)
    let actions = pool.connectionClosed(1, lost, unsent: [3])
    #expect(actions.first == .fail(3, .connectionLost(afterSend: false)))
    #expect(pool.queuedRequests == 0)
  }

  @Test func pausesGrowWithJitterUpToTheCap() {
    var backoff = HTTP2Backoff(base: .milliseconds(100), cap: .seconds(5), seed: 3)
    var longest = Duration.milliseconds(100)
    var seen: Set<Duration> = []
    for _ in 0..<40 {
      let pause = backoff.fail()
      #expect(pause >= longest / 2 && pause <= longest)
      seen.insert(pause)
      longest = min(longest * 2, .seconds(5))
    }
    #expect(seen.count > 30)
    backoff.succeed()
    #expect(backoff.fail() <= .milliseconds(100))
  }
}
