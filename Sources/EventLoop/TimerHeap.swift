/// A callback due at a point in time; made by `EventLoop.schedule`. Loop thread only.
public final class Timer {
  let deadline: MonotonicTime
  fileprivate(set) var action: (() -> Void)?
  /// Place in the heap, so that cancelling need not search; -1 when out of it.
  fileprivate var index = -1
  private weak var loop: EventLoop?

  init(deadline: MonotonicTime, loop: EventLoop, action: @escaping () -> Void) {
    self.deadline = deadline
    self.loop = loop
    self.action = action
  }

  /// Whether it has neither fired nor been cancelled.
  public var isPending: Bool { index >= 0 }

  /// Takes the timer back; nothing happens when it has fired already. Releases the callback.
  public func cancel() {
    loop?.timers.remove(self)
    action = nil
  }

  func fire() {
    let action = self.action
    self.action = nil
    action?()
  }
}

/// A binary min-heap of timers that removes a cancelled one at once: a push arms a deadline that is
/// nearly always cancelled, and leaving those in would hold 25 s of them.
struct TimerHeap {
  private var timers: [Timer] = []

  var count: Int { timers.count }
  var earliest: MonotonicTime? { timers.first?.deadline }

  mutating func insert(_ timer: Timer) {
    timer.index = timers.count
    timers.append(timer)
    siftUp(timer.index)
  }

  mutating func remove(_ timer: Timer) {
    let index = timer.index
    guard index >= 0, index < timers.count, timers[index] === timer else { return }
    let last = timers.removeLast()
    timer.index = -1
    guard last !== timer else { return }
    timers[index] = last
    last.index = index
    siftDown(index)
    siftUp(last.index)
  }

  /// Removes and returns the earliest timer when it is due.
  mutating func popDue(at now: MonotonicTime) -> Timer? {
    guard let first = timers.first, first.deadline <= now else { return nil }
    remove(first)
    return first
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    let timer = timers[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard timer.deadline < timers[parent].deadline else { break }
      place(timers[parent], at: index)
      index = parent
    }
    place(timer, at: index)
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    let timer = timers[index]
    while true {
      var child = index * 2 + 1
      guard child < timers.count else { break }
      if child + 1 < timers.count, timers[child + 1].deadline < timers[child].deadline { child += 1 }
      guard timers[child].deadline < timer.deadline else { break }
      place(timers[child], at: index)
      index = child
    }
    place(timer, at: index)
  }

  private mutating func place(_ timer: Timer, at index: Int) {
    timers[index] = timer
    timer.index = index
  }
}
