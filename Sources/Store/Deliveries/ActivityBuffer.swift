import Bytes

/// What was noted since the last write, by client.
final class ActivityBuffer: Sendable {
  /// Clients at most: what does not fit within a second is not counted.
  private static let limit = 100_000
  private let changes = Locked<[[UInt8]: PushActivity?]>([:])

  func note(_ key: ClientKey, _ activity: PushActivity) {
    changes.withLock { changes in
      if case .some(.some(var earlier)) = changes[key.bytes] {
        earlier.add(activity)
        changes[key.bytes] = .some(earlier)
      } else if changes.count < Self.limit {
        changes[key.bytes] = .some(activity)
      }
    }
  }

  /// The client is gone, and what was counted for it.
  func forget(_ key: ClientKey) {
    changes.withLock { changes in
      if changes.count < Self.limit { changes.updateValue(nil, forKey: key.bytes) }
    }
  }

  /// Everything noted, which is no longer held.
  func take() -> [[UInt8]: PushActivity?] {
    changes.withLock { changes in
      defer { changes = [:] }
      return changes
    }
  }
}
