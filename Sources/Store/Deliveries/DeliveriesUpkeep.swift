import Bytes
import Synchronization

/// What the writer thread of `deliveries` does about once a second: write what was counted, expire what is old,
/// sync what is unsynced.
final class DeliveriesUpkeep: WriterChore {
  private let table: DeliveredMarks
  private let folder: DeliveriesFolder
  /// Seconds a mark is kept at least.
  private let retention: UInt64
  private let activity: ActivityBuffer
  /// Seconds.
  private let activityRetention: UInt64
  /// Where the sweep through the activity goes on.
  private let activityPosition = Locked<[UInt8]>([])
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
    _ table: DeliveredMarks, activity: ActivityBuffer, folder: DeliveriesFolder, options: StoreOptions
  ) {
    self.table = table
    self.activity = activity
    self.folder = folder
    retention = options.deliveredRetention
    activityRetention = options.activityRetention
    clock = options.clock
    warn = options.onWarning
    // What was written before this process began may be unsynced.
    syncedCommit = Atomic(0)
  }

  func perform(in environment: LMDBEnvironment, now: UInt64) -> Bool {
    // Each by itself: in a full map the second fails, and the first and the third make room.
    var hasMore = false
    var failure = attempt { () throws(StoreError) in hasMore = try sweep(environment) }
    failure = attempt { () throws(StoreError) in try writeActivity(environment) } ?? failure
    failure = attempt { () throws(StoreError) in try expireOld(environment) } ?? failure
    if !hasMore {
      failure = attempt { () throws(StoreError) in try syncIfDirty(environment) } ?? failure
    }
    if let failure { report(failure) } else { warned.store(false, ordering: .relaxed) }
    return hasMore
  }

  func finish(in environment: LMDBEnvironment) {
    if let failure = attempt({ () throws(StoreError) in try writeActivity(environment) }) { report(failure) }
    do throws(StoreError) {
      try environment.sync()
      if !isDamaged.load(ordering: .relaxed) { try folder.markClean() }
    } catch {
      report(error)
    }
  }

  private func attempt(_ step: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
      try step()
      return nil
    } catch {
      return error
    }
  }

  /// Writes what was counted. What can't be written is lost: it is worth no second try.
  private func writeActivity(_ environment: LMDBEnvironment) throws(StoreError) {
    let changes = activity.take()
    guard !changes.isEmpty else { return }
    var transaction = try WriteTransaction(environment)
    try table.activity.apply(changes, in: &transaction)
    guard transaction.writes > 0 else { return }
    try transaction.commit()
  }

  /// Looks for what is too old among the actions, the history and some more entries of the activity.
  private func expireOld(_ environment: LMDBEnvironment) throws(StoreError) {
    func cutoff(_ now: UInt64, _ retention: UInt64) -> UInt64 { now > retention ? now - retention : 0 }
    let now = clock()
    let start = activityPosition.withLock { $0 }
    var transaction = try WriteTransaction(environment)
    let next = try table.activity.expire(
      before: cutoff(now / 1000, activityRetention), from: start, limit: Self.sweepLimit, in: &transaction)
    try table.actions.expire(before: cutoff(now, Store.actionRetention), in: &transaction)
    try table.history.expire(before: cutoff(now / 60_000, Store.historyRetention), in: &transaction)
    activityPosition.withLock { $0 = next }
    guard transaction.writes > 0 else { return }
    try transaction.commit()
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
