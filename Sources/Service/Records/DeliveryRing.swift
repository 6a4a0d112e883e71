import EventLoop

/// The latest pushes of one worker. Those that did not reach their device are kept besides, so that they outlast
/// the many that did. Loop thread only: keeping one costs no lock.
public final class DeliveryRing {
  /// What came after some record.
  public struct Tail: Sendable {
    /// Oldest first.
    public var records: [DeliveryRecord]
    /// To be given for what comes next.
    public var next: UInt64
    /// Records that were overwritten before they could be read.
    public var missed: UInt64
  }

  private struct Ring {
    private(set) var traces: [PushTrace] = []
    let capacity: Int
    private var start = 0

    init(capacity: Int) {
      self.capacity = capacity
    }

    mutating func append(_ trace: PushTrace) {
      if traces.count < capacity {
        traces.append(trace)
      } else {
        traces[start] = trace
        start = start + 1 == capacity ? 0 : start + 1
      }
    }

    var oldest: PushTrace? { traces.isEmpty ? nil : traces[start] }

    /// From the newest to the oldest while `body` returns true.
    func forEachNewestFirst(_ body: (PushTrace) -> Bool) {
      var index = start
      for _ in 0..<traces.count {
        index = index == 0 ? traces.count - 1 : index - 1
        guard body(traces[index]) else { return }
      }
    }
  }

  private var all: Ring
  private var problems: Ring
  private var count: UInt64 = 0
  private let began = MonotonicTime.now()

  public init(capacity: Int = 4096, problemCapacity: Int = 1024) {
    all = Ring(capacity: max(1, capacity))
    problems = Ring(capacity: max(1, problemCapacity))
  }

  func append(_ trace: PushTrace) {
    count += 1
    trace.number = count
    all.append(trace)
    switch trace.result {
    case .accepted, .alreadyDelivered: break
    default: problems.append(trace)
    }
  }

  /// The number of the latest record; 0 when there is none.
  public var latest: UInt64 { count }

  /// Since when every push is remembered, in milliseconds since the epoch.
  public var completeSince: UInt64 {
    let now = MonotonicTime.now()
    let from = all.traces.count < all.capacity ? began : all.oldest?.received ?? began
    let age = UInt64(clamping: (now - from).wholeMilliseconds)
    let wallNow = WallClock.milliseconds()
    return wallNow > age ? wallNow - age : 0
  }

  /// At most `limit` records that match, newest first.
  public func find(_ query: DeliveryQuery, limit: Int) -> [DeliveryRecord] {
    let now = MonotonicTime.now()
    let wallNow = WallClock.milliseconds()
    var found: [DeliveryRecord] = []
    func take(_ trace: PushTrace) -> Bool {
      if query.matches(trace) { found.append(DeliveryRecord(trace, now: now, wallNow: wallNow)) }
      return found.count < limit
    }
    guard limit > 0 else { return found }
    all.forEachNewestFirst(take)
    let oldest = all.oldest?.number ?? 0
    guard found.count < limit else { return found }
    problems.forEachNewestFirst { $0.number < oldest ? take($0) : true }
    return found
  }

  /// The records after `number` that match, at most the newest `limit` of them.
  public func tail(after number: UInt64, _ query: DeliveryQuery, limit: Int) -> Tail {
    let now = MonotonicTime.now()
    let wallNow = WallClock.milliseconds()
    var records: [DeliveryRecord] = []
    var missed: UInt64 = 0
    all.forEachNewestFirst { trace in
      guard trace.number > number else { return false }
      guard query.matches(trace) else { return true }
      if records.count < limit {
        records.append(DeliveryRecord(trace, now: now, wallNow: wallNow))
      } else {
        missed += 1
      }
      return true
    }
    if let oldest = all.oldest?.number, oldest > number + 1 { missed += oldest - number - 1 }
    return Tail(records: records.reversed(), next: count, missed: missed)
  }
}
