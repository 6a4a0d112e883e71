import Bytes
import EventLoop
import Telemetry

/// What was done by way of the admin page: the latest in memory, all of it in the log.
final class ActionLog: Sendable {
  enum Action: String, Sendable {
    case login, logout, delete, restore, revive, reload, backup
    case testPush = "test_push"
  }

  struct Entry: Sendable {
    /// Milliseconds since the epoch.
    var time: UInt64
    var action: Action
    /// A client ID.
    var target: String?
    var isGood: Bool
    var detail: String?
    var address: String?
  }

  private static let limit = 500
  private let entries = Locked<[Entry]>([])
  private let log: Log

  init(log: Log) {
    self.log = log
  }

  func note(
    _ action: Action, target: String? = nil, isGood: Bool = true, detail: String? = nil,
    by address: IPAddress?
  ) {
    let entry = Entry(
      time: WallClock.milliseconds(), action: action, target: target, isGood: isGood, detail: detail,
      address: address.map { $0.description })
    entries.withLock { entries in
      if entries.count >= Self.limit { entries.removeFirst(entries.count - Self.limit + 1) }
      entries.append(entry)
    }
    log.log(
      isGood ? .info : .warning, "admin",
      [
        "action": .string(action.rawValue), "client": .clientID(target ?? ""),
        "good": .string(isGood ? "yes" : "no"), "detail": .string(detail ?? ""),
        "address": .string(entry.address ?? ""),
      ])
  }

  /// Newest first.
  var latest: [Entry] { entries.withLock { $0.reversed() } }
}
