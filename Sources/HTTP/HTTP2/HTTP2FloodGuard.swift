import EventLoop

/// A budget for frames that cost the receiver work and ask for nothing: RST_STREAM ("rapid reset",
/// CVE-2023-44487), PING, SETTINGS, PRIORITY, empty DATA, malformed frames. It fills up again with time.
struct HTTP2FloodGuard {
  /// The most that can be spent at once.
  let capacity: Int
  /// What comes back in a second.
  let perSecond: Int
  private var credit: Int
  private var last: MonotonicTime?

  init(capacity: Int, perSecond: Int) {
    self.capacity = capacity
    self.perSecond = perSecond
    credit = capacity
  }

  /// Charges `count` frames; false once the budget is overdrawn.
  mutating func charge(_ count: Int, now: MonotonicTime) -> Bool {
    guard count > 0 else { return credit >= 0 }
    if let last {
      // Held at an hour, so that the product stays small.
      let elapsed = min((now - last).wholeMilliseconds, 3_600_000)
      let refill = Int(elapsed) * perSecond / 1000
      if refill > 0 {
        credit = min(capacity, credit + refill)
        self.last = now
      }
    } else {
      last = now
    }
    credit -= count
    return credit >= 0
  }
}
