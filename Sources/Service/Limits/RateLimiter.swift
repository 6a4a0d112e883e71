import Bytes
import EventLoop
import Synchronization

/// Lets each address do something so many times a minute, with a burst of a minute's worth at once: a token
/// bucket an address. An IPv6 address counts as its /64, since that is what one subscriber gets. Any thread.
///
/// The table has a fixed size. When an attacker has more networks than places, the bucket that is nearest to
/// full gives way: the one whose loss forgives least.
public final class RateLimiter: Sendable {
  /// Places in the table; a power of two.
  private static let places = 16_384
  /// Places that one address may be at.
  private static let ways = 8

  /// A bucket as the one number that it comes to: when it will be full again.
  private struct Bucket {
    var network: IPAddress?
    /// Nanoseconds of the monotonic clock.
    var fullAt: UInt64 = 0
  }

  private struct State {
    /// Nanoseconds in which one token comes back; 0 lets everything pass.
    var interval: UInt64 = 0
    /// Nanoseconds that a bucket takes from empty to full.
    var span: UInt64 = 0
    var exempt: [IPAddressBlock] = []
    /// Made when it is first needed.
    var buckets: [Bucket] = []
  }

  private let state: Locked<State>
  /// When all buckets will be full: until then a look at the table is worth while.
  private let allFullAt = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - perMinute: tokens a minute, and in a full bucket; 0 lets everything pass.
  ///   - exempt: addresses that are never limited.
  public init(perMinute: Int = 0, exempt: [IPAddressBlock] = []) {
    state = Locked(State())
    configure(perMinute: perMinute, exempt: exempt)
  }

  /// Takes effect at once; what was taken stays taken.
  public func configure(perMinute: Int, exempt: [IPAddressBlock] = []) {
    state.withLock { state in
      state.interval = perMinute > 0 ? max(1, 60_000_000_000 / UInt64(perMinute)) : 0
      state.span = state.interval * UInt64(max(0, perMinute))
      state.exempt = exempt
    }
  }

  /// Takes a token for `address`. Nil when there was one; otherwise the seconds until there is, at least 1.
  public func take(_ address: IPAddress, now: MonotonicTime = .now()) -> Int? {
    access(address, now.nanoseconds, takes: true)
  }

  /// The seconds until `address` has a token; nil when it has one. Takes none.
  public func wait(_ address: IPAddress, now: MonotonicTime = .now()) -> Int? {
    // Nearly always so, and on the way of every push.
    guard allFullAt.load(ordering: .relaxed) > now.nanoseconds else { return nil }
    return access(address, now.nanoseconds, takes: false)
  }

  private func access(_ address: IPAddress, _ now: UInt64, takes: Bool) -> Int? {
    state.withLock { state in
      guard state.interval > 0, !state.exempt.contains(where: { $0.contains(address) }) else { return nil }
      if state.buckets.isEmpty {
        guard takes else { return nil }
        state.buckets = [Bucket](repeating: Bucket(), count: Self.places)
      }
      let network = address.network
      let (index, isPresent) = Self.find(network, in: state.buckets)
      let fullAt = isPresent ? max(now, state.buckets[index].fullAt) : now
      let next = fullAt + state.interval
      guard next - now <= state.span else {
        return Int(clamping: (next - now - state.span + 999_999_999) / 1_000_000_000)
      }
      guard takes else { return nil }
      state.buckets[index] = Bucket(network: network, fullAt: next)
      if next > allFullAt.load(ordering: .relaxed) { allFullAt.store(next, ordering: .relaxed) }
      return nil
    }
  }

  /// Where `network` is; or the place that it is to take.
  private static func find(_ network: IPAddress, in buckets: [Bucket]) -> (index: Int, isPresent: Bool) {
    // Seeded anew in each process, so that nobody can choose addresses that share places.
    let group = network.hashValue & (places - 1) & ~(ways - 1)
    var candidate = group
    for index in group..<(group + ways) {
      if buckets[index].network == network { return (index, true) }
      if buckets[index].fullAt < buckets[candidate].fullAt { candidate = index }
    }
    return (candidate, false)
  }
}
