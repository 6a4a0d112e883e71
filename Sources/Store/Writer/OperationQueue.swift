import Glibc

/// A bounded queue that many threads fill and one empties, sleeping while there is nothing.
final class OperationQueue: @unchecked Sendable {
  // Safe to share: `waiting` and `isClosed` are only touched while holding `mutex`. A `Locked` value can't be
  // waited on, hence the bare mutex and condition here.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  private var waiting: [WriteOperation] = []
  private var isClosed = false

  init(capacity: Int) {
    self.capacity = capacity
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Errors: `overloaded` when full, `closed` after `close`.
  func append(_ operation: WriteOperation) throws(StoreError) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed else { throw .closed }
    guard waiting.count < capacity else { throw .overloaded }
    waiting.append(operation)
    if waiting.count == 1 { pthread_cond_signal(condition) }
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// What waits, oldest first, at most `limit`. Sleeps until there is something, the queue is closed or the
  /// monotonic clock reaches `deadline` (nanoseconds; nil: no limit). nil: closed and empty.
  ///
  /// Once there is something, `gathering` nanoseconds more pass for others to come, unless the queue is closed.
  func take(atMost limit: Int, until deadline: UInt64?, gathering: UInt64) -> [WriteOperation]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waiting.isEmpty, !isClosed {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var end = Self.timespec(deadline)
      if pthread_cond_timedwait(condition, mutex, &end) != 0 { break }
    }
    if waiting.isEmpty, isClosed { return nil }
    if gathering > 0, !waiting.isEmpty {
      var end = Self.timespec(Clock.monotonic() &+ gathering)
      // Only `close` signals while something waits.
      while !isClosed, pthread_cond_timedwait(condition, mutex, &end) == 0 {}
    }
    return removeFirst(limit)
  }

  /// What waits now, oldest first, at most `limit`.
  func takeWaiting(atMost limit: Int) -> [WriteOperation] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return removeFirst(limit)
  }

  private func removeFirst(_ limit: Int) -> [WriteOperation] {
    var taken: [WriteOperation] = []
    if waiting.count <= limit {
      swap(&taken, &waiting)
    } else {
      taken = Array(waiting.prefix(limit))
      waiting.removeFirst(limit)
    }
    return taken
  }

  private static func timespec(_ nanoseconds: UInt64) -> timespec {
    Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
