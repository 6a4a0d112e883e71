import Bytes
import EventLoop
import Glibc
import Testing

/// Runs `body` on a fresh loop's thread and gives what it reports.
func onLoop<Result: Sendable>(
  _ body: @escaping @Sendable (EventLoop, @escaping (Result) -> Void) -> Void
) async throws -> Result {
  let thread = try LoopThread(name: "test-loop")
  let result = await withCheckedContinuation { continuation in
    thread.loop.execute {
      body(thread.loop) { continuation.resume(returning: $0) }
    }
  }
  thread.stopAndJoin()
  return result
}

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
  @Test func timersFireInOrderOfTheirDeadlines() async throws {
    let order: [Int] = try await onLoop { loop, report in
      let fired = Box<[Int]>([])
      for delay in [30, 10, 20, 0, 5] {
        loop.schedule(after: .milliseconds(delay)) { fired.value.append(delay) }
      }
      loop.schedule(after: .milliseconds(40)) { report(fired.value) }
    }
    #expect(order == [0, 5, 10, 20, 30])
  }

  @Test func aCancelledTimerNeverFires() async throws {
    let order: [Int] = try await onLoop { loop, report in
      let fired = Box<[Int]>([])
      let timers = (0..<100).map { index in
        loop.schedule(after: .milliseconds(index % 7)) { fired.value.append(index) }
      }
      for (index, timer) in timers.enumerated() where index % 3 != 0 { timer.cancel() }
      loop.schedule(after: .milliseconds(20)) { report(fired.value.sorted()) }
    }
    #expect(order == (0..<100).filter { $0 % 3 == 0 })
  }

  @Test func workFromManyThreadsArrivesWholeAndInOrder() async throws {
    let thread = try LoopThread(name: "test-loop")
    let seen = Locked<[Int: [Int]]>([:])
    let senders = try (0..<8).map { sender in
      try SystemThread(name: "sender") {
        for item in 0..<1000 {
          thread.loop.execute { seen.withLock { $0[sender, default: []].append(item) } }
        }
      }
    }
    for sender in senders { sender.join() }
    await withCheckedContinuation { done in thread.loop.execute { done.resume() } }
    thread.stopAndJoin()
    for sender in 0..<8 { #expect(seen.withLock { $0[sender] } == Array(0..<1000)) }
  }

  @Test func turnEndActionsRunOnceBeforeTheLoopSleeps() async throws {
    final class Action: TurnEndAction {
      var runs = 0
      func turnWillEnd() { runs += 1 }
    }
    let runs: Int = try await onLoop { loop, report in
      let action = Action()
      loop.atTurnEnd(action)
      loop.schedule(after: .milliseconds(5)) { report(action.runs) }
    }
    #expect(runs == 1)
  }

  @Test func anActorPinnedToTheLoopRunsOnItsThread() async throws {
    actor Pinned {
      let loop: EventLoop
      init(_ loop: EventLoop) { self.loop = loop }
      nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
      func isInLoop() -> Bool { loop.isInLoop }
    }
    let thread = try LoopThread(name: "test-loop")
    #expect(await Pinned(thread.loop).isInLoop())
    #expect(!thread.loop.isInLoop)
    thread.stopAndJoin()
  }

  @Test func aSignalBecomesAnEvent() async throws {
    SignalSource.block([SIGUSR2])
    let signal: Int32 = try await onLoop { loop, report in
      // The loop's own thread: blocking is per thread, and the signal is sent to it alone.
      SignalSource.block([SIGUSR2])
      let source = Box<SignalSource?>(nil)
      source.value = try? SignalSource(loop: loop, signals: [SIGUSR2]) { signal in
        source.value?.cancel()
        report(signal)
      }
      pthread_kill(pthread_self(), SIGUSR2)
    }
    #expect(signal == SIGUSR2)
  }
}

/// A loop-confined variable for closures of a test.
final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
