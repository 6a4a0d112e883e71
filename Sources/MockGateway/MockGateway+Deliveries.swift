import Bytes
import EventLoop

// What the mock has seen. All of it works from any thread.

extension MockGateway {
  /// The newest accepted notifications, oldest first.
  public var deliveries: [Delivery] { log.deliveries }

  /// Notifications accepted since the start or the last reset.
  public var deliveryCount: Int { log.total }

  public func counters(of service: Service) -> Counters { log.counters(service) }

  /// Forgets deliveries and counts.
  public func resetDeliveries() {
    log.reset()
  }

  /// Changes what is kept of deliveries; drops those there are, not their number.
  public func setRecording(_ recording: Recording) {
    log.setRecording(recording)
  }

  /// Calls `callback` once: with true when `count` notifications in all have been accepted, with false
  /// when `timeout` has passed before or the mock was stopped. On the mock's loop, or at once within
  /// this call.
  public func whenDelivered(
    count: Int, timeout: Duration, _ callback: @escaping @Sendable (Bool) -> Void
  ) {
    guard let id = log.wait(for: count, callback) else { return }
    let loop = loop
    loop.execute { [log] in
      loop.schedule(after: timeout) { log.giveUp(id) }
    }
  }

  /// Whether `count` notifications in all are accepted within `timeout`.
  public func waitForDeliveries(count: Int, timeout: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      whenDelivered(count: count, timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// The same, blocking the calling thread. Not from the mock's own loop.
  public func blockUntilDelivered(count: Int, timeout: Duration) -> Bool {
    let done = OneShotSignal()
    let result = Locked(false)
    whenDelivered(count: count, timeout: timeout) { came in
      result.withLock { $0 = came }
      done.send()
    }
    done.wait()
    return result.withLock { $0 }
  }
}
