import Glibc

/// A point on the monotonic clock, for deadlines: it never jumps when the wall clock is set.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since some fixed point in the past (the machine's start).
  public var nanoseconds: UInt64

  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The present moment.
  public static func now() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// `time` moved by `duration`, held at the clock's ends.
  public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    let delta = duration.wholeNanoseconds
    if delta < 0 {
      let back = delta.magnitude
      return MonotonicTime(nanoseconds: time.nanoseconds > back ? time.nanoseconds - back : 0)
    }
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(UInt64(delta))
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  /// How long from `right` to `left`; negative when `left` came first.
  public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
    .nanoseconds(Int64(clamping: left.nanoseconds) - Int64(clamping: right.nanoseconds))
  }
}

extension Duration {
  /// The duration in whole nanoseconds, held at the ends of `Int64` (292 years).
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || carry { return seconds < 0 ? .min : .max }
    return sum
  }

  /// The duration in whole milliseconds, rounded down.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}

/// The wall clock.
public enum WallClock {
  /// Seconds since the epoch.
  public static func seconds() -> UInt64 {
    UInt64(max(0, time(nil)))
  }

  /// Milliseconds since the epoch.
  public static func milliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
