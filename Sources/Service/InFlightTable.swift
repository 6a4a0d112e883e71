import Bytes

/// What identifies a push: a SHA-256 over app, client and message ID.
public struct PushKey: Hashable, Sendable {
  /// 32 bytes.
  public let digest: [UInt8]

  public init(digest: [UInt8]) {
    self.digest = digest
  }

  /// The digest is uniform, so its first bytes are hash enough.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(prefix)
  }

  fileprivate var prefix: UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Pushes on their way, over all workers: the second copy of one waits for the first one's result
/// instead of reaching the gateway too.
///
/// A delivered push stays until its delivered mark can be read from the store. So a caller that leads
/// must look for the mark after `begin`, not before: then there is no moment at which a delivered push
/// is in neither place.
public final class InFlightTable: Sendable {
  public typealias Waiter = @Sendable (PushResult) -> Void

  /// What a caller of `begin` has to do.
  public enum Role: Sendable {
    /// Deliver the push, then call `finish`.
    case leader
    /// Nothing: the waiter is called with the leader's result.
    case follower
  }

  private enum Entry {
    case running(waiters: [Waiter])
    case delivered
  }

  /// Striped, so that workers seldom meet at one lock.
  private let stripes: [Locked<[PushKey: Entry]>]

  public init(stripes: Int = 64) {
    self.stripes = (0..<max(1, stripes)).map { _ in Locked([:]) }
  }

  private func stripe(for key: PushKey) -> Locked<[PushKey: Entry]> {
    stripes[Int(key.prefix % UInt64(stripes.count))]
  }

  /// Claims the push, or waits for the caller that has it.
  ///
  /// - Parameter makeWaiter: gives the callback for a follower. It is called on any thread, in `begin`
  ///   itself when the push was delivered already.
  public func begin(_ key: PushKey, makeWaiter: () -> Waiter) -> Role {
    var delivered: Waiter?
    let role: Role = stripe(for: key).withLock { entries in
      switch entries[key] {
      case nil:
        entries[key] = .running(waiters: [])
        return .leader
      case .running(var waiters):
        waiters.append(makeWaiter())
        entries[key] = .running(waiters: waiters)
        return .follower
      case .delivered:
        delivered = makeWaiter()
        return .follower
      }
    }
    delivered?(.alreadyDelivered)
    return role
  }

  /// Ends the leader's push. An accepted one stays known until `forget`; anything else is forgotten at
  /// once, so that a retry really sends.
  public func finish(_ key: PushKey, _ result: PushResult) {
    let waiters: [Waiter] = stripe(for: key).withLock { entries in
      guard case .running(let waiters) = entries[key] else { return [] }
      entries[key] = result == .accepted ? .delivered : nil
      return waiters
    }
    for waiter in waiters { waiter(result) }
  }

  /// The delivered mark is written, or cannot be: the store's word counts from here on.
  public func forget(_ key: PushKey) {
    stripe(for: key).withLock { entries in
      if case .delivered = entries[key] { entries[key] = nil }
    }
  }

  /// Pushes known at this moment.
  public var count: Int { stripes.reduce(0) { sum, stripe in sum + stripe.withLock { $0.count } } }
}
