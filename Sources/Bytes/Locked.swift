import Glibc

/// A value that is only reached while holding a mutex.
///
/// Wraps `pthread_mutex_t` and not `Synchronization.Mutex`: the thread sanitizer cannot see the
/// latter's futex on Linux and reports races that are none.
public final class Locked<Value>: @unchecked Sendable {
  // Safe to share: `value` is only touched between lock and unlock.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var value: Value

  public init(_ value: Value) {
    self.value = value
    mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access. Not recursive: `body` must not lock the same value again.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
