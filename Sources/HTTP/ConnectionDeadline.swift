import EventLoop

/// One deadline of a connection that moves with every request, on one timer that hardly ever does.
///
/// The timer runs at most `shortest` ahead, and looks when it fires whether the deadline has come. No
/// deadline is set nearer than that, so setting one only stores a number.
struct ConnectionDeadline {
  /// Called when the timer fires; it has to call `hasPassed`.
  var onTimer: () -> Void = {}
  private let loop: EventLoop
  private let shortest: Duration
  private var deadline: MonotonicTime?
  private var timer: Timer?

  init(loop: EventLoop, shortest: Duration) {
    self.loop = loop
    self.shortest = shortest
  }

  /// Moves the deadline to `timeout` (at least `shortest`) from now.
  mutating func set(after timeout: Duration) {
    deadline = loop.now + timeout
    if timer == nil {
      arm()
    }
  }

  /// No deadline until the next `set`.
  mutating func clear() {
    deadline = nil
  }

  /// Ends the timer too.
  mutating func cancel() {
    deadline = nil
    timer?.cancel()
    timer = nil
  }

  /// True when the deadline has passed; else the timer runs again.
  mutating func hasPassed() -> Bool {
    timer = nil
    guard let deadline else { return false }
    guard deadline > loop.now else {
      self.deadline = nil
      return true
    }
    arm()
    return false
  }

  private mutating func arm() {
    guard let deadline else { return }
    timer = loop.schedule(at: min(deadline, loop.now + shortest), onTimer)
  }
}
