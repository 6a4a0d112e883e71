import Testing

@testable import HTTP

/// Requests that the peer refused unseen, and connections that it ends with GOAWAY.
@Suite struct HTTP2PoolRefusalTests: HTTP2PoolSuite {
  @Test func refusedRequestsGoBackToTheFrontInOrder() {
    var pool = proven(maxStreams: 3) { $0.maxConnections = 1 }
    for id in 2...5 as ClosedRange<UInt64> { _ = pool.enqueue(id) }
    #expect(pool.goAway(0, hasTaken: true) == [.open(1)])
    for id in [3, 2, 4] as [UInt64] {
      #expect(pool.requestRefused(id) == [])
    }
    _ = pool.streamClosed(0, answered: false)
    _ = pool.streamClosed(0, answered: false)
    #expect(pool.streamClosed(0, answered: false) == [.close(0)])
    #expect(
      pool.connectionReady(1, maxStreams: 10) == [
        .start(2, on: 1), .start(3, on: 1), .start(4, on: 1), .start(5, on: 1),
      ])
    #expect(pool.connectionClosed(0, lost) == [])
  }

  @Test func aRequestIsPutBackABoundedNumberOfTimes() {
    var pool = proven(maxStreams: 1) { $0.maxRefusals = 2 }
    #expect(pool.enqueue(2) == [.start(2, on: 0)])
    for _ in 0..<2 {
      _ = pool.streamClosed(0, answered: false)
      #expect(pool.requestRefused(2) == [.start(2, on: 0)])
    }
    _ = pool.streamClosed(0, answered: false)
    #expect(pool.requestRefused(2) == [.fail(2, .refused)])
    #expect(pool.requestDone(2) == [])
    #expect(pool.activeStreams == 0)
  }

  @Test func aDrainingConnectionFinishesWhatItHasAndIsClosed() {
    var pool = proven(maxStreams: 2)
    _ = pool.enqueue(2)
    #expect(pool.goAway(0, hasTaken: true) == [])
    #expect(pool.enqueue(3) == [.open(1)])
    #expect(pool.requestDone(2) == [])
    #expect(pool.streamClosed(0, answered: true) == [.close(0)])
    #expect(pool.goAway(0, hasTaken: true) == [])
    #expect(pool.connectionClosed(0, lost) == [])
  }

  @Test func anIdleConnectionThatTheServerEndsIsNoFailure() {
    var pool = proven(maxStreams: 2)
    #expect(pool.goAway(0, hasTaken: true) == [.close(0)])
    #expect(pool.connectionClosed(0, lost) == [])
    #expect(pool.enqueue(2) == [.open(1)])
  }

  @Test func aPeerThatOnlySaysGoodbyeIsNotCalledInALoop() {
    var pool = pool()
    _ = pool.enqueue(1)
    _ = pool.connectionReady(0, maxStreams: 1)
    let actions = pool.goAway(0, hasTaken: false)
    #expect(actions.count == 1 && isBackoff(actions.first))
    _ = pool.streamClosed(0, answered: false)
    #expect(pool.requestRefused(1) == [])
    #expect(pool.connectionClosed(0, lost) == [])
    #expect(pool.backoffElapsed() == [.open(1)])
  }

  /// As with a server that takes a hundred requests for each connection, from a client with more at once.
  @Test func aPeerThatTakesSomeOfEachConnectionRefusesNobody() {
    var pool = proven(maxStreams: 10) { $0.maxRefusals = 0 }
    for id in 2...4 as ClosedRange<UInt64> { _ = pool.enqueue(id) }
    for connection in 0..<3 {
      let taken = UInt64(connection) + 2
      #expect(pool.goAway(connection, hasTaken: true).isEmpty)
      // It takes one and leaves the others.
      for id in taken + 1..<5 {
        _ = pool.requestRefused(id)
        _ = pool.streamClosed(connection, answered: false)
      }
      _ = pool.requestDone(taken)
      _ = pool.streamClosed(connection, answered: true)
      _ = pool.connectionClosed(connection, lost)
      guard taken < 4 else { break }
      #expect(
        pool.connectionReady(connection + 1, maxStreams: 10).first == .start(taken + 1, on: connection + 1))
    }
    #expect(pool.activeStreams == 0)
    #expect(pool.queuedRequests == 0)
  }

  @Test func aGoAwayThatOvertakesTheAnswersIsNoFailure() {
    var pool = pool { $0.connectFailureLimit = 1 }
    _ = pool.enqueue(1)
    _ = pool.enqueue(2)
    _ = pool.connectionReady(0, maxStreams: 5)
    #expect(pool.goAway(0, hasTaken: true) == [])
    #expect(pool.streamClosed(0, answered: false) == [])
    #expect(pool.requestRefused(2) == [.open(1)])
    #expect(pool.requestDone(1) == [])
    #expect(pool.streamClosed(0, answered: true) == [.close(0)])
  }

  @Test func aPeerThatTakesAndNeverAnswersIsAFailure() {
    var pool = pool()
    _ = pool.enqueue(1)
    _ = pool.connectionReady(0, maxStreams: 5)
    #expect(pool.goAway(0, hasTaken: true) == [])
    #expect(pool.requestRefused(1) == [.open(1)])
    let actions = pool.streamClosed(0, answered: false)
    #expect(actions.count == 2 && isBackoff(actions.first))
    #expect(actions.last == .close(0))
  }
}
