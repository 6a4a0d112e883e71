import EventLoop

/// Work for peers that have used up their patience: one piece at a time with a pause before it, so that a flood
/// of wrong signatures takes a small part of the processor, however fast it comes. Loop thread only.
final class SuspectLane {
  /// Pieces that may wait.
  static let capacity = 256
  /// A check takes about a tenth of that.
  static let pause = Duration.milliseconds(2)

  private let loop: EventLoop
  private var waiting: [() -> Void] = []
  private var next = 0
  private var isDue = false

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// False when too much waits already.
  func add(_ work: @escaping () -> Void) -> Bool {
    guard waiting.count - next < Self.capacity else { return false }
    waiting.append(work)
    schedule()
    return true
  }

  private func schedule() {
    guard !isDue, next < waiting.count else { return }
    isDue = true
    loop.schedule(after: Self.pause) { [self] in
      isDue = false
      let work = waiting[next]
      next += 1
      if next == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        next = 0
      } else if next >= Self.capacity {
        waiting.removeFirst(next)
        next = 0
      }
      work()
      schedule()
    }
  }
}
