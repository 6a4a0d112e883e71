import Synchronization

/// A number that only grows. Any thread; one atomic addition an increment.
public final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  public init() {}

  public func increment(by amount: UInt64 = 1) {
    count.wrappingAdd(amount, ordering: .relaxed)
  }

  public var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A number that goes up and down. Any thread.
public final class Gauge: Sendable {
  private let current = Atomic<Int64>(0)

  public init() {}

  public func set(_ value: Int64) {
    current.store(value, ordering: .relaxed)
  }

  /// Adds `amount`, which may be negative.
  public func add(_ amount: Int64) {
    current.wrappingAdd(amount, ordering: .relaxed)
  }

  public var value: Int64 { current.load(ordering: .relaxed) }
}

/// How durations are spread over fixed buckets. Any thread; two atomic additions an observation.
public final class Histogram: Sendable {
  /// Upper bounds in milliseconds that suit a push: from a local lookup to the relay's patience.
  public static let latencyBounds: [UInt64] = [
    1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
  ]

  /// Inclusive upper bounds in milliseconds, rising.
  public let bounds: [UInt64]
  /// Observations in each bucket, not cumulative; the last is beyond all bounds.
  private let buckets: [Counter]
  private let microseconds = Counter()

  /// - Parameter bounds: inclusive upper bounds in milliseconds, rising.
  public init(bounds: [UInt64] = latencyBounds) {
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  public func observe(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let elapsed = UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds) / 1_000_000_000_000
    let index = bounds.firstIndex { elapsed <= $0 &* 1000 } ?? bounds.count
    buckets[index].increment()
    microseconds.increment(by: elapsed)
  }

  /// What was observed up to now.
  public struct Snapshot: Equatable, Sendable {
    /// Observations at or below each bound.
    public var cumulative: [UInt64]
    /// All observations.
    public var count: UInt64
    /// All durations together, in microseconds.
    public var totalMicroseconds: UInt64
  }

  public var snapshot: Snapshot {
    var total: UInt64 = 0
    var cumulative: [UInt64] = []
    for bucket in buckets {
      total += bucket.value
      cumulative.append(total)
    }
    cumulative.removeLast()
    return Snapshot(cumulative: cumulative, count: total, totalMicroseconds: microseconds.value)
  }
}
