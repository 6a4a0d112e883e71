import Bytes
import EventLoop
import Service
import Testing

@Suite(.timeLimit(.minutes(10))) struct InFlightTableTests {
  private let table = InFlightTable(stripes: 4)
  private let key = PushKey(digest: [UInt8](repeating: 7, count: 32))

  /// Notes what waiters are told.
  private final class Answers: Sendable {
    let results = Locked<[PushResult]>([])
    func waiter() -> InFlightTable.Waiter {
      { result in self.results.withLock { $0.append(result) } }
    }
    var all: [PushResult] { results.withLock { $0 } }
  }

  @Test func theFirstLeadsAndTheOthersHearItsResult() {
    let answers = Answers()
    #expect(table.begin(key, makeWaiter: answers.waiter) == .leader)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .follower)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .follower)
    #expect(answers.all.isEmpty)
    table.finish(key, .accepted)
    #expect(answers.all == [.accepted, .accepted])
  }

  @Test func aFailedPushIsForgottenSoThatTheRetryLeads() {
    let answers = Answers()
    #expect(table.begin(key, makeWaiter: answers.waiter) == .leader)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .follower)
    table.finish(key, .gatewayTimeout)
    #expect(answers.all == [.gatewayTimeout])
    #expect(table.begin(key, makeWaiter: answers.waiter) == .leader)
  }

  @Test func aDeliveredPushIsKnownUntilItsMarkIsWritten() {
    let answers = Answers()
    #expect(table.begin(key, makeWaiter: answers.waiter) == .leader)
    table.finish(key, .accepted)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .follower)
    #expect(answers.all == [.alreadyDelivered])
    table.forget(key)
    #expect(table.count == 0)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .leader)
    // A late word about an earlier delivery must not touch one under way.
    table.forget(key)
    #expect(table.begin(key, makeWaiter: answers.waiter) == .follower)
  }

  @Test func ofManyThreadsExactlyOneLeads() throws {
    let leaders = Locked(0)
    let answers = Answers()
    let threads = try (0..<16).map { _ in
      try SystemThread(name: "begin") { [table, key] in
        if table.begin(key, makeWaiter: answers.waiter) == .leader { leaders.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(leaders.withLock { $0 } == 1)
    table.finish(key, .accepted)
    #expect(answers.all.count == 15)
  }
}
