import Bytes
import Glibc

/// A value that one thread waits for and another gives: for start and stop, never on a loop that must go on.
public final class Rendezvous<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)
  /// Safe to share: a POSIX semaphore is made for that.
  nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

  public init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Hands the value over; only the first counts.
  public func give(_ value: Value) {
    let isFirst = self.value.withLock { stored in
      guard stored == nil else { return false }
      stored = value
      return true
    }
    if isFirst { sem_post(semaphore) }
  }

  /// Blocks until the value is there.
  public func wait() -> Value {
    while true {
      while sem_wait(semaphore) != 0 && errno == EINTR {}
      if let value = value.withLock({ $0 }) {
        // For the next one who waits.
        sem_post(semaphore)
        return value
      }
    }
  }
}

extension EventLoop {
  /// Runs `work` on the loop and waits for what it returns. Not from the loop itself.
  public func runAndWait<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
    let rendezvous = Rendezvous<Value>()
    execute { rendezvous.give(work()) }
    return rendezvous.wait()
  }
}
