import Bytes
import EventLoop
import Store
import Telemetry

/// What was done by way of the admin page: the latest in memory and in the store, which brings them back after a
/// restart; all of it in the log. Any thread.
final class ActionLog: Sendable {
  enum Action: String, Sendable {
    case login, logout, delete, restore, revive, reload, backup
    case testPush = "test_push"
  }

  /// The oldest first.
  private struct Content {
    var signedIn: [ActionRecord] = []
    /// Apart, so that whoever guesses passwords pushes out nothing else.
    var strangers: [ActionRecord] = []

    mutating func append(_ record: ActionRecord) {
      if record.isSignedIn {
        Self.append(record, to: &signedIn)
      } else {
        Self.append(record, to: &strangers)
      }
    }

    private static func append(_ record: ActionRecord, to records: inout [ActionRecord]) {
      if records.count >= Store.actionLimit { records.removeFirst(records.count - Store.actionLimit + 1) }
      records.append(record)
    }
  }

  private let store: Store
  private let log: Log
  /// Milliseconds since the epoch.
  private let clock: @Sendable () -> UInt64
  private let content = Locked(Content())

  /// Begins with what earlier processes kept. When that cannot be read, without: no reason not to serve.
  init(store: Store, log: Log, clock: @escaping @Sendable () -> UInt64 = { WallClock.milliseconds() }) {
    self.store = store
    self.log = log
    self.clock = clock
    do throws(StoreError) {
      let earlier = try store.makeReader().actions(since: Self.cutoff(clock()))
      content.withLock { content in
        for record in earlier { content.append(record) }
      }
    } catch {
      log.warning("what was done on the admin page cannot be read", ["error": "\(error)"])
    }
  }

  private static func cutoff(_ now: UInt64) -> UInt64 {
    now > Store.actionRetention ? now - Store.actionRetention : 0
  }

  /// - Parameter target: a client ID.
  func note(
    _ action: Action, target: String? = nil, isGood: Bool = true, detail: String? = nil,
    by address: IPAddress?
  ) {
    let record = ActionRecord(
      time: clock(), action: action.rawValue, target: target, isGood: isGood, detail: detail,
      address: address.map { $0.description }, isSignedIn: action != .login || isGood)
    content.withLock { $0.append(record) }
    let log = self.log
    store.keepAction(record, expiringBefore: Self.cutoff(record.time)) { result in
      if case .failure(let error) = result {
        log.warning(
          "an action of the admin page is not kept over a restart", ["error": "\(error)"])
      }
    }
    log.log(
      isGood ? .info : .warning, "admin",
      [
        "action": .string(action.rawValue), "client": .clientID(target ?? ""),
        "good": .string(isGood ? "yes" : "no"), "detail": .string(detail ?? ""),
        "address": .string(record.address ?? ""),
      ])
  }

  /// Newest first.
  var latest: [ActionRecord] {
    let content = content.withLock { $0 }
    let cutoff = Self.cutoff(clock())
    return (content.signedIn + content.strangers).filter { $0.time >= cutoff }.sorted { $0.time < $1.time }
      .reversed()
  }
}
