import Bytes
import CLinux
import Glibc
import Synchronization

/// Something that must run once before the loop sleeps, such as a flush of gathered output.
public protocol TurnEndAction: AnyObject {
  func turnWillEnd()
}

/// Receives readiness of one descriptor.
protocol IOHandler: AnyObject {
  func ioReady(_ events: IOEvents)
}

/// What a descriptor is ready for, or watched for.
struct IOEvents: OptionSet {
  let rawValue: UInt32
  static let readable = IOEvents(rawValue: UInt32(EPOLLIN.rawValue))
  static let writable = IOEvents(rawValue: UInt32(EPOLLOUT.rawValue))
  static let hangUp = IOEvents(rawValue: UInt32(EPOLLHUP.rawValue))
  static let error = IOEvents(rawValue: UInt32(EPOLLERR.rawValue))
}

/// One thread's event loop: descriptors through epoll, timers, and work sent from other threads.
///
/// Each turn runs the ready descriptors, the work sent in, the timers that are due, then the turn-end
/// actions, then sleeps. Everything but `execute`, `stop`, `isInLoop` and the executor's `enqueue`
/// belongs to the thread that calls `run`.
///
/// It is also an executor, so that an actor or a task can be pinned to it: for the edges (start, stop,
/// reload), not for each push.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Safe to share: state is confined to the loop's thread but for `inbox`, `stopping` and `thread`,
  // which are locked or atomic, and `wakeFD`, which never changes.
  private let epollFD: Int32
  private let wakeFD: Int32
  private let inbox = Locked<[@Sendable () -> Void]>([])
  private let stopping = Atomic<Bool>(false)
  private let thread = Atomic<UInt>(0)

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var turnEndActions: [any TurnEndAction] = []
  var timers = TimerHeap()
  var lingerPlaces = LingerPlaces()
  /// Lent to one reader at a time: reads never nest.
  let readBuffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65_536)

  /// The time at this turn's start; good for deadlines, and costs nothing.
  public private(set) var now = MonotonicTime.now()

  private struct Slot {
    var handler: (any IOHandler)?
    /// Told apart from the slot's earlier owners, so that a stale event of this turn hits nobody.
    var generation: UInt32 = 0
  }

  /// Throws when the kernel has no descriptor to give.
  public init() throws(SystemError) {
    epollFD = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epollFD >= 0 else { throw SystemError(call: "epoll_create1") }
    wakeFD = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard wakeFD >= 0 else {
      let error = SystemError(call: "eventfd")
      close(epollFD)
      throw error
    }
    var event = epoll_event(events: IOEvents.readable.rawValue, data: epoll_data_t(u64: .max))
    guard epoll_ctl(epollFD, EPOLL_CTL_ADD, wakeFD, &event) == 0 else {
      throw SystemError(call: "epoll_ctl")
    }
  }

  deinit {
    close(wakeFD)
    close(epollFD)
    readBuffer.deallocate()
  }

  // MARK: Any thread

  /// Runs `work` on the loop soon. Work sent by one thread runs in the order sent. After the loop has
  /// ended, work is dropped.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    let wasEmpty = inbox.withLock { queue in
      queue.append(work)
      return queue.count == 1
    }
    if wasEmpty { wake() }
  }

  /// Makes `run` return after the present turn.
  public func stop() {
    stopping.store(true, ordering: .releasing)
    wake()
  }

  /// Whether the caller is on this loop's thread.
  public var isInLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { [self] in
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  /// Lets the runtime check isolation (`assumeIsolated`) of code that the loop calls directly.
  public func checkIsolated() {
    precondition(isInLoop, "called off its event loop")
  }

  private func wake() {
    var one: UInt64 = 1
    // The only failure is a counter already full, and then the loop wakes anyway.
    _ = write(wakeFD, &one, 8)
  }

  // MARK: Loop thread

  /// Runs `action` at `deadline`, or in the next turn when that has passed.
  @discardableResult
  public func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> Timer {
    let timer = Timer(deadline: deadline, loop: self, action: action)
    timers.insert(timer)
    return timer
  }

  /// Runs `action` once `delay` has passed since this turn's start.
  @discardableResult
  public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Timer {
    schedule(at: now + delay, action)
  }

  /// Calls `action` once at the end of this turn.
  public func atTurnEnd(_ action: any TurnEndAction) {
    turnEndActions.append(action)
  }

  /// Runs the loop on the calling thread until `stop`.
  public func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    while !stopping.load(ordering: .acquiring) {
      endTurn()
      let count = epoll_wait(epollFD, &events, Int32(events.count), sleepMilliseconds())
      now = .now()
      for event in events.prefix(Int(max(0, count))) {
        dispatch(event)
      }
      while let timer = timers.popDue(at: now) { timer.fire() }
    }
    endTurn()
  }

  /// Actions may add actions (a flush that closes a connection), hence the loop.
  private func endTurn() {
    while !turnEndActions.isEmpty {
      let actions = turnEndActions
      turnEndActions.removeAll(keepingCapacity: true)
      for action in actions { action.turnWillEnd() }
    }
  }

  private func sleepMilliseconds() -> Int32 {
    guard let earliest = timers.earliest else { return -1 }
    let time = MonotonicTime.now()
    guard earliest > time else { return 0 }
    // Rounded up: waking before the deadline would only spin.
    let milliseconds = (earliest.nanoseconds - time.nanoseconds + 999_999) / 1_000_000
    return Int32(clamping: milliseconds)
  }

  private func dispatch(_ event: epoll_event) {
    let key = event.data.u64
    if key == .max {
      var count: UInt64 = 0
      _ = read(wakeFD, &count, 8)
      let work = inbox.withLock { queue in
        let work = queue
        queue = []
        return work
      }
      for item in work { item() }
      return
    }
    let index = Int(key & 0xFFFF_FFFF)
    guard index < slots.count, slots[index].generation == UInt32(key >> 32) else { return }
    slots[index].handler?.ioReady(IOEvents(rawValue: event.events))
  }

  // MARK: Descriptors

  /// A descriptor's place in the loop; removed by `removeDescriptor`.
  struct Registration {
    fileprivate let key: UInt64
    let fd: Int32
  }

  /// Watches `fd`, level-triggered. The loop keeps `handler` until the registration is removed.
  func addDescriptor(_ fd: Int32, _ interest: IOEvents, _ handler: any IOHandler) throws(SystemError)
    -> Registration
  {
    let index = freeSlots.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    slots[index].handler = handler
    let key = UInt64(slots[index].generation) << 32 | UInt64(index)
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: key))
    guard epoll_ctl(epollFD, EPOLL_CTL_ADD, fd, &event) == 0 else {
      let error = SystemError(call: "epoll_ctl")
      release(index)
      throw error
    }
    return Registration(key: key, fd: fd)
  }

  func changeInterest(_ registration: Registration, _ interest: IOEvents) {
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: registration.key))
    epoll_ctl(epollFD, EPOLL_CTL_MOD, registration.fd, &event)
  }

  /// Stops watching; call before the descriptor is closed.
  func removeDescriptor(_ registration: Registration) {
    let index = Int(registration.key & 0xFFFF_FFFF)
    guard index < slots.count, slots[index].generation == UInt32(registration.key >> 32) else { return }
    epoll_ctl(epollFD, EPOLL_CTL_DEL, registration.fd, nil)
    release(index)
  }

  private func release(_ index: Int) {
    slots[index].handler = nil
    slots[index].generation &+= 1
    freeSlots.append(index)
  }
}
