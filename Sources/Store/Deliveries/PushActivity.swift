/// The pushes to one client so far: for an operator, not for decisions. The last second may be lost with the
/// process, and all of it when the deliveries are begun anew.
public struct PushActivity: Equatable, Sendable {
  /// How a push ended. Raw values are stored: never change them.
  public enum Outcome: UInt8, Sendable {
    /// The gateway accepted it.
    case delivered = 1
    /// The gateway says that the token is dead.
    case deadToken = 2
    /// Refused or failed for another reason.
    case failed = 3
  }

  /// Seconds since the epoch.
  public var lastTime: UInt64
  public var lastOutcome: Outcome
  public var delivered: UInt64
  /// Those that were not delivered.
  public var failed: UInt64

  /// Of one push.
  init(_ outcome: Outcome, time: UInt64) {
    lastTime = time
    lastOutcome = outcome
    delivered = outcome == .delivered ? 1 : 0
    failed = outcome == .delivered ? 0 : 1
  }

  /// Adds what came later.
  mutating func add(_ later: PushActivity) {
    lastTime = later.lastTime
    lastOutcome = later.lastOutcome
    delivered &+= later.delivered
    failed &+= later.failed
  }

  private static let layoutVersion: UInt8 = 1

  func encode() -> [UInt8] {
    var out = [Self.layoutVersion, lastOutcome.rawValue]
    out.append(bigEndian: lastTime)
    out.append(bigEndian: delivered)
    out.append(bigEndian: failed)
    return out
  }

  /// nil when the bytes are none of a known layout.
  init?(_ bytes: Span<UInt8>) {
    var fields = bytes
    guard fields.takeByte() == Self.layoutVersion,
      let outcome = fields.takeByte().flatMap(Outcome.init(rawValue:)),
      let lastTime = fields.takeUInt64(), let delivered = fields.takeUInt64(),
      let failed = fields.takeUInt64()
    else { return nil }
    self.lastTime = lastTime
    lastOutcome = outcome
    self.delivered = delivered
    self.failed = failed
  }
}

extension Store {
  /// Counts a push to a client. Costs no write: what came together is written about once a second, and
  /// forgotten after `StoreOptions.activityRetention`.
  public func notePush(_ key: ClientKey, _ outcome: PushActivity.Outcome) {
    activity.note(key, PushActivity(outcome, time: options.clock() / 1000))
  }
}

extension StoreReader {
  /// The pushes to a client; nil when there were none lately. Always nil in a tool.
  public func activity(_ key: ClientKey) throws(StoreError) -> PushActivity? {
    guard let deliveries, let deliverySlot else { return nil }
    let transaction = try deliverySlot.begin()
    return try deliveries.activity.activity(key.bytes, in: transaction)
  }
}
