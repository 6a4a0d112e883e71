import Bytes

/// Makes addresses that guess passwords wait, twice as long with each wrong one. A value, so that it can be tested
/// without waiting. An IPv6 address counts as its /64.
struct LoginLock {
  /// Wrong passwords that cost nothing.
  static let allowance = 3
  private static let longestWait: UInt64 = 900_000
  /// Nobody who waited that long after the last wrong one is remembered.
  private static let forgetAfter: UInt64 = 3_600_000
  private static let limit = 10_000

  private struct Entry {
    var failures = 0
    /// Milliseconds since the epoch.
    var lastFailure: UInt64 = 0
    var lockedUntil: UInt64 = 0
  }

  /// Nil: requests whose address is not known share one.
  private var entries: [IPAddress?: Entry] = [:]

  /// Seconds for which `address` must wait; nil when it may try.
  func wait(_ address: IPAddress?, now: UInt64) -> Int? {
    guard let entry = entries[address?.network], entry.lockedUntil > now else { return nil }
    return Int((entry.lockedUntil - now + 999) / 1000)
  }

  mutating func failed(_ address: IPAddress?, now: UInt64) {
    let key = address?.network
    if entries.count >= Self.limit, entries[key] == nil {
      entries = entries.filter { now < $0.value.lastFailure + Self.forgetAfter }
      // Full of addresses that guess: the one that did so longest ago gives way.
      if entries.count >= Self.limit,
        let oldest = entries.min(by: { $0.value.lastFailure < $1.value.lastFailure })
      {
        entries[oldest.key] = nil
      }
    }
    var entry = entries[key] ?? Entry()
    if now >= entry.lastFailure + Self.forgetAfter { entry.failures = 0 }
    entry.failures += 1
    entry.lastFailure = now
    if entry.failures >= Self.allowance {
      let doublings = min(entry.failures - Self.allowance, 20)
      entry.lockedUntil = now + min(Self.longestWait, 1000 << UInt64(doublings))
    }
    entries[key] = entry
  }

  mutating func succeeded(_ address: IPAddress?) {
    entries[address?.network] = nil
  }
}
