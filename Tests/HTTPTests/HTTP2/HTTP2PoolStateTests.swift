import Testing

@testable import HTTP

@Suite struct HTTP2PoolStateTests {
  private let lost = HTTP2ClientError.connectFailed("refused")

  private func pool(_ change: (inout HTTP2PoolState.Configuration) -> Void = { _ in }) -> HTTP2PoolState {
    var configuration = HTTP2PoolState.Configuration()
    change(&configuration)
    return HTTP2PoolState(configuration, seed: 42)
  }

  /// A pool whose connection 0 is ready and has answered a request.
  private func proven(
    maxStreams: Int, _ change: (inout HTTP2PoolState.Configuration) -> Void = { _ in }
  ) -> HTTP2PoolState {
    var pool = pool(change)
    _ = pool.enqueue(1)
    _ = pool.connectionReady(0, maxStreams: maxStreams)
    _ = pool.streamClosed(0, answered: true)
    _ = pool.requestDone(1)
    return pool
  }

  private func isBackoff(_ action: HTTP2PoolState.Action?) -> Bool {
    if case .armBackoff = action { true } else { false }
  }

  // MARK: Opening and starting

  @Test func theFirstRequestOpensOneConnectionAndWaits() {
    var pool = pool()
    #expect(pool.enqueue(1) == [.open(0)])
    #expect(pool.enqueue(2) == [])
    #expect(pool.queuedRequests == 2)
    #expect(pool.openConnections == 0)
    #expect(pool.connectionReady(0, maxStreams: 10) == [.start(1, on: 0), .start(2, on: 0)])
    #expect(pool.enqueue(3) == [.start(3, on: 0)])
    #expect(pool.queuedRequests == 0)
    #expect(pool.activeStreams == 3)
    #expect(pool.openConnections == 1)
  }

  @Test func noFurtherConnectionUntilTheFirstHasEndedAStream() {
    var pool = pool()
    _ = pool.enqueue(1)
    _ = pool.enqueue(2)
    #expect(pool.connectionReady(0, maxStreams: 1) == [.start(1, on: 0)])
    #expect(pool.enqueue(3) == [])
    // The peer raises its limit as it accepts the first request.
    #expect(pool.settingsChanged(0, maxStreams: 1000) == [.start(2, on: 0), .start(3, on: 0)])
  }

  @Test func aFurtherConnectionWhenAllStreamsAreTaken() {
    var pool = proven(maxStreams: 2) { $0.maxConnections = 3 }
    #expect(pool.enqueue(2) == [.start(2, on: 0)])
    #expect(pool.enqueue(3) == [.start(3, on: 0)])
    #expect(pool.enqueue(4) == [.open(1)])
    #expect(pool.enqueue(5) == [])
    #expect(pool.connectionReady(1, maxStreams: 1) == [.start(4, on: 1)])
    #expect(pool.streamClosed(1, answered: true) == [.start(5, on: 1)])
    #expect(pool.enqueue(6) == [.open(2)])
    _ = pool.connectionReady(2, maxStreams: 1)
    _ = pool.streamClosed(2, answered: true)
    #expect(pool.enqueue(7) == [.start(7, on: 2)])
    #expect(pool.enqueue(8) == [])
    #expect(pool.streamClosed(0, answered: true) == [.start(8, on: 0)])
  }

  @Test func aConnectionThatAllowsNoStreamIsNotWaitedFor() {
    var pool = pool()
    _ = pool.enqueue(1)
    #expect(pool.connectionReady(0, maxStreams: 0) == [.open(1)])
    #expect(pool.connectionReady(1, maxStreams: 1) == [.start(1, on: 1)])
  }

  @Test func aLoweredLimitIsHonoured() {
    var pool = proven(maxStreams: 3) { $0.maxConnections = 1 }
    _ = pool.enqueue(2)
    _ = pool.enqueue(3)
    #expect(pool.settingsChanged(0, maxStreams: 1) == [])
    #expect(pool.enqueue(4) == [])
    #expect(pool.streamClosed(0, answered: true) == [])
    #expect(pool.streamClosed(0, answered: true) == [.start(4, on: 0)])
  }

  @Test func theQueueIsBounded() {
    var pool = pool { $0.queueLimit = 2 }
    _ = pool.enqueue(1)
    _ = pool.enqueue(2)
    #expect(pool.enqueue(3) == [.fail(3, .queueFull)])
    _ = pool.requestDone(1)
    #expect(pool.enqueue(4) == [])
    #expect(pool.connectionReady(0, maxStreams: 9) == [.start(2, on: 0), .start(4, on: 0)])
  }

  @Test func aRequestGivenUpLeavesTheQueueOrKeepsItsPlace() {
    var pool = pool { $0.maxConnections = 1 }
    _ = pool.enqueue(1)
    _ = pool.enqueue(2)
    #expect(pool.requestDone(1) == [])
    #expect(pool.connectionReady(0, maxStreams: 1) == [.start(2, on: 0)])
    _ = pool.enqueue(3)
    // Cancelled while its stream is open: the place is free once the stream is.
    #expect(pool.requestDone(2) == [])
    #expect(pool.streamClosed(0, answered: false) == [.start(3, on: 0)])
  }

  // MARK: Refusals and GOAWAY

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

  // MARK: Failures

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

  // MARK: Idleness and shutdown

  @Test func onlyASpareConnectionIsClosedForIdleness() {
    var pool = proven(maxStreams: 1)
    #expect(pool.connectionIdle(0) == [])
    _ = pool.enqueue(2)
    _ = pool.enqueue(3)
    _ = pool.connectionReady(1, maxStreams: 1)
    #expect(pool.connectionIdle(1) == [])
    #expect(pool.requestDone(3) == [])
    #expect(pool.streamClosed(1, answered: true) == [])
    #expect(pool.connectionIdle(1) == [.close(1)])
    #expect(pool.enqueue(4) == [.open(2)])
    #expect(pool.connectionClosed(1, lost) == [])
  }

  @Test func shutdownFinishesWhatIsThereAndRefusesWhatComes() {
    var pool = proven(maxStreams: 1) { $0.maxConnections = 1 }
    _ = pool.enqueue(2)
    _ = pool.enqueue(3)
    #expect(pool.shutdown() == [])
    #expect(pool.enqueue(4) == [.fail(4, .cancelled)])
    _ = pool.requestDone(2)
    #expect(pool.streamClosed(0, answered: true) == [.start(3, on: 0)])
    #expect(pool.requestDone(3) == [])
    #expect(pool.streamClosed(0, answered: true) == [.close(0)])
    #expect(pool.connectionClosed(0, lost) == [.finished])
    #expect(pool.shutdown() == [])
  }

  @Test func shutdownOfAnUnusedPoolIsDoneAtOnce() {
    var pool = pool()
    #expect(pool.shutdown() == [.finished])
  }

  @Test func shutdownEndsAnAttemptThatNobodyWaitsFor() {
    var pool = pool()
    _ = pool.enqueue(1)
    #expect(pool.shutdown() == [])
    #expect(pool.requestDone(1) == [.close(0)])
    #expect(pool.connectionClosed(0, lost).last == .finished)
  }

  // MARK: Invariants

  /// Random events against a model of what the peer and the caller may do: no limit is ever passed, and
  /// every request comes to exactly one end.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func randomEventsKeepTheInvariants(seed: UInt64) {
    var random = SplitMix(state: seed)
    var pool = pool {
      $0.maxConnections = 3
      $0.queueLimit = 20
      $0.maxRefusals = 2
    }
    var model = PoolModel()
    for _ in 0..<3000 {
      model.step(&pool, &random)
      #expect(pool.activeStreams == model.streams)
      #expect(pool.queuedRequests == model.waiting.count)
      #expect(pool.queuedRequests <= 20 + model.refused)
      #expect(model.problem == nil)
    }
    model.perform(pool.shutdown(), &pool)
    for _ in 0..<20_000 where !model.isFinished { model.step(&pool, &random) }
    #expect(model.isFinished)
    #expect(model.problem == nil)
    #expect(model.waiting.isEmpty && model.running.isEmpty)
  }
}
