import Glibc

enum Clock {
  /// Nanoseconds of the monotonic clock.
  static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Milliseconds since the epoch.
  static func wallMilliseconds() -> UInt64 { read(CLOCK_REALTIME) / 1_000_000 }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(clamping: time.tv_sec) * 1_000_000_000 + UInt64(clamping: time.tv_nsec)
  }
}
