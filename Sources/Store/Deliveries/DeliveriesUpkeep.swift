import Synchronization

/// What the writer thread of `deliveries` does about once a second: expire old marks, sync what is unsynced.
final class DeliveriesUpkeep: WriterChore {
  private let table: DeliveredMarks
  private let folder: DeliveriesFolder
  /// Seconds a mark is kept at least.
  private let retention: UInt64
  /// Milliseconds since the epoch.
  private let clock: @Sendable () -> UInt64
  private let warn: @Sendable (String) -> Void
  /// Transaction count at the last sync.
  private let syncedCommit: Atomic<UInt64>
  private let warned = Atomic<Bool>(false)
  private let isDamaged = Atomic<Bool>(false)
  /// Marks expired in one go: a few milliseconds of the writer's time.
  private static let sweepLimit = 1000

  init(
    _ table: DeliveredMarks, folder: DeliveriesFolder, retention: UInt64,
    clock: @escaping @Sendable () -> UInt64, warn: @escaping @Sendable (String) -> Void
  ) {
    self.table = table
    self.folder = folder
    self.retention = retention
    self.clock = clock
    self.warn = warn
    // What was written before this process began may be unsynced.
    syncedCommit = Atomic(0)
  }

  func perform(in environment: LMDBEnvironment, now: UInt64) -> Bool {
    do throws(StoreError) {
      let hasMore = try sweep(environment)
      if !hasMore { try syncIfDirty(environment) }
      warned.store(false, ordering: .relaxed)
      return hasMore
    } catch {
      report(error)
      return false
    }
  }

  func finish(in environment: LMDBEnvironment) {
    do throws(StoreError) {
      try environment.sync()
      if !isDamaged.load(ordering: .relaxed) { try folder.markClean() }
    } catch {
      report(error)
    }
  }

  private func sweep(_ environment: LMDBEnvironment) throws(StoreError) -> Bool {
    let now = clock() / 1000
    guard now > retention else { return false }
    var transaction = try WriteTransaction(environment)
    // A mark's time is cut down to seconds, so at this age it is at least `retention` old.
    let removed = try table.expire(through: now - retention - 1, limit: Self.sweepLimit, in: &transaction)
    guard removed > 0 else { return false }
    try transaction.commit()
    return removed == Self.sweepLimit
  }

  private func syncIfDirty(_ environment: LMDBEnvironment) throws(StoreError) {
    let last = environment.lastTransaction
    guard last != syncedCommit.load(ordering: .relaxed) else { return }
    try environment.sync()
    syncedCommit.store(last, ordering: .relaxed)
  }

  /// Has the file set aside at the next start if `error` says that it is damaged. Any thread.
  func note(_ error: StoreError) {
    guard case .damaged = error, !isDamaged.exchange(true, ordering: .relaxed) else { return }
    do throws(StoreError) {
      try folder.markDamaged()
      warn("\(error); it will be set aside at the next start")
    } catch {
      warn("\(error)")
    }
  }

  /// Once until it goes well again, not each second.
  private func report(_ error: StoreError) {
    note(error)
    guard !warned.exchange(true, ordering: .relaxed) else { return }
    warn("upkeep of the delivered marks failed: \(error)")
  }
}
