import Bytes
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct WriterTests {
  private func environment(
    _ folder: TemporaryFolder, mapSize: UInt64 = 16 << 20
  ) throws -> (LMDBEnvironment, Table) {
    let environment = try LMDBEnvironment(
      path: folder.store, settings: .init(mapSize: mapSize, isDurable: true, mayCreate: true))
    let table = try environment.openingTables { (transaction) throws(StoreError) in
      try environment.openTable("t", in: transaction)
    }
    return (environment, table)
  }

  struct Step: Sendable {
    var body: @Sendable (inout WriteTransaction) throws(StoreError) -> Void
  }

  /// Submits operations that are all waiting before the writer takes the first.
  private func submit(
    _ writer: StoreWriter, _ operations: [Step]
  ) async -> [StoreError?] {
    let gate = Gate()
    writer.submit({ (_) throws(StoreError) in }, completion: { _ in gate.pass() })
    return await withTaskGroup(of: (Int, StoreError?).self) { group in
      let queued = Locked(0)
      for (index, operation) in operations.enumerated() {
        group.addTask {
          let result = await withCheckedContinuation { continuation in
            writer.submit(operation.body) { continuation.resume(returning: $0) }
            let isLast = queued.withLock { count in
              count += 1
              return count == operations.count
            }
            if isLast { gate.open() }
          }
          if case .failure(let error) = result { return (index, error) }
          return (index, nil)
        }
      }
      var errors = [StoreError?](repeating: nil, count: operations.count)
      for await (index, error) in group { errors[index] = error }
      return errors
    }
  }

  @Test func anOperationThatFailsDoesNotSpoilTheOthers() async throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    let writer = try StoreWriter(environment, capacity: 100)
    let refusal = StoreError.invalidValue("refused")
    let errors = await submit(
      writer,
      [
        Step { (transaction) throws(StoreError) in try transaction.put(table, [1], [1]) },
        Step { (_) throws(StoreError) in throw refusal },
        Step { (transaction) throws(StoreError) in
          try transaction.put(table, [2], [2])
          throw refusal
        },
        Step { (transaction) throws(StoreError) in try transaction.put(table, [3], [3]) },
        // LMDB itself refuses: an empty key.
        Step { (transaction) throws(StoreError) in try transaction.put(table, [], [4]) },
      ])
    writer.close()
    #expect(errors[0] == nil)
    #expect(errors[1] == refusal)
    #expect(errors[2] == refusal)
    #expect(errors[3] == nil)
    #expect(errors[4] != nil)
    let transaction = try ReadSlot(environment).begin()
    #expect(try transaction.copy(table, [1]) == [1])
    #expect(try transaction.copy(table, [2]) == nil)
    #expect(try transaction.copy(table, [3]) == [3])
  }

  @Test func onlyWhatDoesNotFitFails() async throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder, mapSize: 256 << 10)
    let writer = try StoreWriter(environment, capacity: 100)
    let huge = [UInt8](repeating: 7, count: 4 << 20)
    let errors = await submit(
      writer,
      (0..<10).map { (number: UInt8) in
        Step { (transaction) throws(StoreError) in
          try transaction.put(table, [number], number == 4 ? huge : [number])
        }
      })
    writer.close()
    for (index, error) in errors.enumerated() {
      if index == 4 {
        guard case .mapFull = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      } else {
        #expect(error == nil)
      }
    }
    #expect(try ReadSlot(environment).begin().count(table) == 9)
  }

  @Test func whatComesWhileABatchIsAppliedSharesItsCommit() throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    let writer = try StoreWriter(environment, capacity: 100)
    let commits = writer.commitCount
    let done = Gate()
    let commitsAtEnd = Locked<UInt64>(0)
    writer.submit(
      { (transaction) throws(StoreError) in
        try transaction.put(table, [1], [1])
        writer.submit(
          { (transaction) throws(StoreError) in try transaction.put(table, [2], [2]) },
          completion: { _ in
            commitsAtEnd.withLock { $0 = writer.commitCount }
            done.open()
          })
      }, completion: { _ in })
    done.pass()
    #expect(commitsAtEnd.withLock { $0 } == commits + 1)
    #expect(try ReadSlot(environment).begin().count(table) == 2)
    writer.close()
  }

  @Test func whatComesWhileABatchFailsIsAnsweredToo() throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    let writer = try StoreWriter(environment, capacity: 100)
    let late = Locked<[Result<Void, StoreError>]>([])
    let failed = Gate()
    let isFirst = Locked(true)
    writer.submit(
      { (transaction) throws(StoreError) in
        try transaction.put(table, [1], [1])
        // The batch is tried again in parts: this must come in only once.
        if isFirst.withLock({ first in
          defer { first = false }; return first
        }) {
          writer.submit(
            { (transaction) throws(StoreError) in try transaction.put(table, [2], [2]) },
            completion: { result in late.withLock { $0.append(result) } })
        } else {
          throw .invalidValue("refused")
        }
      },
      completion: { result in
        if case .failure = result { failed.open() }
      })
    writer.submit(
      { (transaction) throws(StoreError) in
        try transaction.put(table, [3], [3])
        throw .invalidValue("refused")
      }, completion: { _ in })
    failed.pass()
    writer.close()
    #expect(late.withLock { $0.count } == 1)
    #expect(throws: Never.self) { try late.withLock { $0 }.first?.get() }
    #expect(try ReadSlot(environment).begin().count(table) == 1)
  }

  @Test func aFullQueueAnswersAtOnce() async throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    let writer = try StoreWriter(environment, capacity: 2)
    let held = Gate()
    let gate = Gate()
    writer.submit(
      { (_) throws(StoreError) in },
      completion: { _ in
        held.open(); gate.pass()
      })
    held.pass()
    let answers = Locked<[Result<Void, StoreError>]>([])
    for number in UInt8(0)..<3 {
      writer.submit(
        { (transaction) throws(StoreError) in try transaction.put(table, [number], [1]) },
        completion: { result in answers.withLock { $0.append(result) } })
    }
    let early = answers.withLock { $0 }
    #expect(early.count == 1)
    #expect(throws: StoreError.overloaded) { try early.first?.get() }
    gate.open()
    writer.close()
    #expect(answers.withLock { $0.count } == 3)
    #expect(try ReadSlot(environment).begin().count(table) == 2)
  }

  @Test func closingAnswersWhatWaitsAndRefusesTheRest() async throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    let writer = try StoreWriter(environment, capacity: 10_000)
    let answered = Locked(0)
    for number in 0..<5000 {
      let key = Array(String(number).utf8)
      writer.submit(
        { (transaction) throws(StoreError) in try transaction.put(table, key, [1]) },
        completion: { result in
          if case .success = result { answered.withLock { $0 += 1 } }
        })
    }
    writer.close()
    writer.close()
    #expect(answered.withLock { $0 } == 5000)
    #expect(try ReadSlot(environment).begin().count(table) == 5000)
    await #expect(throws: StoreError.closed) {
      try await wait { writer.submit({ (_) throws(StoreError) in }, completion: $0) }
    }
  }

  @Test func anAbandonedTransactionLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let (environment, table) = try environment(folder)
    do {
      var transaction = try WriteTransaction(environment)
      try transaction.put(table, [1], [1])
    }
    #expect(try ReadSlot(environment).begin().count(table) == 0)
  }
}
