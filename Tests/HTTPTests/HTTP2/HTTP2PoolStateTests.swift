import Testing

@testable import HTTP

@Suite struct HTTP2PoolStateTests: HTTP2PoolSuite {
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
