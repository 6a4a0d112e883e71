import Bytes
import Glibc
import Synchronization

/// Background work that the writer thread does between batches.
protocol WriterChore: Sendable {
  /// Does a bounded piece of work when it is due. True: there is more, call again after the next batch.
  func perform(in environment: LMDBEnvironment, now: UInt64) -> Bool
  /// After the last batch.
  func finish(in environment: LMDBEnvironment)
}

/// The one thread that writes to an environment, with group commit: whatever waits when it comes round goes
/// into one transaction and is answered after one commit.
final class StoreWriter: Sendable {
  private let environment: LMDBEnvironment
  private let queue: OperationQueue
  private let chore: (any WriterChore)?
  /// Between rounds of the chore, nanoseconds.
  private let choreInterval: UInt64
  /// How long a batch waits for more operations, nanoseconds.
  private let gathering: UInt64
  private let thread = Locked<pthread_t?>(nil)
  private let commits = Atomic<UInt64>(0)
  /// When an operation last failed for want of room, by `Clock.monotonic`; 0: never.
  private let roomLacked = Atomic<UInt64>(0)
  /// Operations in one transaction: bounds how long the first of them waits and how many pages get dirty.
  private static let batchLimit = 4096

  /// - Parameter gathering: how long a batch waits for more operations: for those that nobody waits for.
  init(
    _ environment: LMDBEnvironment, capacity: Int, chore: (any WriterChore)? = nil,
    choreInterval: Duration = .seconds(1), gathering: Duration = .zero
  ) throws(StoreError) {
    self.environment = environment
    self.chore = chore
    self.choreInterval = Self.nanoseconds(choreInterval)
    self.gathering = Self.nanoseconds(gathering)
    queue = OperationQueue(capacity: capacity)
    var id = pthread_t()
    let start = Unmanaged.passRetained(self)
    let code = pthread_create(&id, nil, runStoreWriter, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw .from(errno: code, operation: "starting the writer thread of", path: environment.path)
    }
    thread.withLock { $0 = id }
  }

  private static func nanoseconds(_ duration: Duration) -> UInt64 {
    let parts = duration.components
    return UInt64(parts.seconds) * 1_000_000_000 + UInt64(parts.attoseconds) / 1_000_000_000
  }

  /// Transactions committed so far.
  var commitCount: UInt64 { commits.load(ordering: .relaxed) }

  /// Whether an operation failed for want of room in the map or on the disk, not longer ago than `age`.
  func lackedRoom(within age: Duration) -> Bool {
    let last = roomLacked.load(ordering: .relaxed)
    return last > 0 && Clock.monotonic() &- last < Self.nanoseconds(age)
  }

  /// Queues `body`. `completion` is called exactly once: on the writer's thread after the commit, or at once
  /// on the caller's thread when the queue is full (`overloaded`) or closed.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    do throws(StoreError) {
      try queue.append(ValueOperation(body, completion: completion))
    } catch {
      completion(.failure(error))
    }
  }

  /// Takes no more, applies and answers what waits, syncs and ends the thread. Called from a completion it
  /// can't wait for the end.
  func close() {
    queue.close()
    let id = thread.withLock { id in
      defer { id = nil }
      return id
    }
    guard let id else { return }
    if pthread_equal(id, pthread_self()) != 0 {
      pthread_detach(id)
    } else {
      pthread_join(id, nil)
    }
  }

  fileprivate func run() {
    var nextChore = Clock.monotonic() &+ choreInterval
    while let batch = queue.take(
      atMost: Self.batchLimit, until: chore == nil ? nil : nextChore, gathering: gathering)
    {
      if !batch.isEmpty {
        // The more share a commit, the fewer pages each of them writes.
        var rest = write(batch) { applied in queue.takeWaiting(atMost: Self.batchLimit - applied) }
        while !rest.isEmpty { rest = write(rest) { _ in [] } }
      }
      let now = Clock.monotonic()
      if let chore, now >= nextChore {
        let hasMore = chore.perform(in: environment, now: now)
        nextChore = hasMore ? now : Clock.monotonic() &+ choreInterval
      }
    }
    chore?.finish(in: environment)
  }

  /// Applies `first`, and what `more` brings once that is done, in one transaction. When something can't be written,
  /// the batch is halved until only the operations that fail alone have failed. What a nearly full map leaves for
  /// another transaction.
  private func write(
    _ first: [WriteOperation], more: (_ applied: Int) -> [WriteOperation]
  ) -> [WriteOperation] {
    var batch = first
    var rest: [WriteOperation] = []
    var refused: [Int: StoreError] = [:]
    do throws(StoreError) {
      var transaction = try WriteTransaction(environment)
      var applied = 0
      while applied < batch.count {
        let writes = transaction.writes
        do throws(StoreError) {
          try batch[applied].apply(&transaction)
        } catch {
          // Refused before it wrote anything: the others are not concerned.
          guard transaction.writes == writes else { throw error }
          refused[applied] = error
        }
        applied += 1
        if transaction.shouldCommit {
          rest = Array(batch[applied...])
          batch.removeSubrange(applied...)
        } else if applied == batch.count {
          batch += more(applied)
        }
      }
      try transaction.commit()
    } catch {
      split(batch, after: error)
      return rest
    }
    commits.add(1, ordering: .relaxed)
    for (index, operation) in batch.enumerated() {
      if let error = refused[index] {
        fail(operation, error)
      } else {
        operation.succeed()
      }
    }
    return rest
  }

  private func split(_ batch: [WriteOperation], after error: StoreError) {
    guard batch.count > 1 else {
      if let operation = batch.first { fail(operation, error) }
      return
    }
    let middle = batch.count / 2
    for half in [batch[..<middle], batch[middle...]] {
      var rest = Array(half)
      while !rest.isEmpty { rest = write(rest) { _ in [] } }
    }
  }

  private func fail(_ operation: WriteOperation, _ error: StoreError) {
    switch error {
    case .mapFull, .diskFull: roomLacked.store(Clock.monotonic(), ordering: .relaxed)
    default: break
    }
    operation.fail(error)
  }
}

/// The thread's entry: a named function, since a closure could be inferred to belong to an actor.
private func runStoreWriter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument {
    Unmanaged<StoreWriter>.fromOpaque(argument).takeRetainedValue().run()
  }
  return nil
}
