/// Growing pauses between attempts to connect, with jitter so that a fleet does not come back at once.
struct HTTP2Backoff {
  let base: Duration
  let cap: Duration
  /// Attempts that failed in a row.
  private(set) var failures = 0
  /// State of a small random generator (xorshift64); never 0.
  private var random: UInt64

  init(base: Duration, cap: Duration, seed: UInt64) {
    self.base = base
    self.cap = cap
    random = seed | 1
  }

  /// Notes a failure; gives the pause before the next attempt: between half and all of the base doubled
  /// for each failure before, up to the cap.
  mutating func fail() -> Duration {
    failures += 1
    var pause = base
    var doublings = failures - 1
    while doublings > 0, pause < cap {
      pause = pause * 2
      doublings -= 1
    }
    pause = min(pause, cap)
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return pause / 2 + pause * Int(random % 1001) / 2000
  }

  mutating func succeed() {
    failures = 0
  }
}
