import Bytes
import EventLoop
import Glibc

/// Lets a thread wait for another one, once.
final class OneShotSignal: @unchecked Sendable {
  // Safe to share: a semaphore is made for that, and its address does not change.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    // Fails for a value out of range alone.
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func send() {
    sem_post(semaphore)
  }

  func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}

extension LoopBound {
  /// Runs `work` with the value on its loop and waits for what it gives. The loop must be running.
  func call<Result: Sendable>(_ work: @escaping @Sendable (Value) -> Result) -> Result? {
    let result = Locked<Result?>(nil)
    let done = OneShotSignal()
    run { value in
      let outcome = work(value)
      result.withLock { $0 = outcome }
      done.send()
    }
    done.wait()
    return result.withLock { $0 }
  }
}
