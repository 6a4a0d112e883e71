import Bytes
import EventLoop
import Store
import Telemetry

/// Says that the store of an older pushbox is being brought up to date: in the log, and to systemd, which would take a
/// start of more than 90 seconds for a failed one.
final class MigrationNotice: Sendable {
  private let log: Log
  private let notifier: ServiceNotifier
  private let isDue = Locked(MonotonicTime(nanoseconds: 0))
  private static let interval = Duration.seconds(10)
  /// Seconds that the last step, which says nothing, may take.
  private static let allowance = 600

  init(log: Log, notifier: ServiceNotifier) {
    self.log = log
    self.notifier = notifier
  }

  func note(_ progress: StoreProgress) {
    guard case .registrations(let done, let total) = progress else { return }
    let now = MonotonicTime.now()
    let isWanted = isDue.withLock { due in
      guard now >= due || done == total else { return false }
      due = now + Self.interval
      return true
    }
    guard isWanted else { return }
    log.info(
      "bringing the store of an older pushbox up to date",
      ["registrations": .number(done), "of": .number(total)])
    notifier.starting("bringing the store up to date: \(done) of \(total)", within: Self.allowance)
  }
}
