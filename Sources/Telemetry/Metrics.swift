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
  /// Close enough for percentiles to be read from them.
  public static let latencyBounds: [UInt64] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000,
    10_000, 15_000, 20_000, 30_000,
  ]

  /// Upper bounds in microseconds that suit what happens within the process.
  public static let stepBounds: [UInt64] = [
    10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000,
  ]

  /// Inclusive upper bounds in microseconds, rising.
  public let microsecondBounds: [UInt64]
  /// Observations in each bucket, not cumulative; the last is beyond all bounds.
  private let buckets: [Counter]
  private let microseconds = Counter()

  /// - Parameter bounds: inclusive upper bounds in milliseconds, rising.
  public convenience init(bounds: [UInt64] = latencyBounds) {
    self.init(microsecondBounds: bounds.map { $0 &* 1000 })
  }

  /// - Parameter microsecondBounds: inclusive upper bounds in microseconds, rising.
  public init(microsecondBounds bounds: [UInt64]) {
    microsecondBounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  public func observe(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let elapsed = UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds) / 1_000_000_000_000
    let index = microsecondBounds.firstIndex { elapsed <= $0 } ?? microsecondBounds.count
    buckets[index].increment()
    microseconds.increment(by: elapsed)
  }

  /// Observations in each bucket, not cumulative; the last is beyond all bounds.
  public var counts: [UInt64] { buckets.map(\.value) }

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
