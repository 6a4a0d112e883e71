import Bytes

/// What was accepted and counted, readable from any thread.
final class DeliveryLog: Sendable {
  typealias Callback = @Sendable (Bool) -> Void

  private struct Waiter {
    let id: Int
    let count: Int
    let callback: Callback
  }

  private struct State {
    var recording: MockGateway.Recording
    /// The newest deliveries; a ring once it is full, with the oldest at `oldest`.
    var deliveries: [MockGateway.Delivery] = []
    var oldest = 0
    var total = 0
    var counters = [MockGateway.Counters](
      repeating: MockGateway.Counters(), count: MockGateway.Service.allCases.count)
    var waiters: [Waiter] = []
    var nextWaiter = 0
    var isClosed = false

    mutating func append(_ delivery: MockGateway.Delivery, limit: Int) {
      if deliveries.count < limit {
        deliveries.append(delivery)
      } else if limit > 0 {
        deliveries[oldest] = delivery
        oldest = (oldest + 1) % deliveries.count
      }
    }

    /// Takes out the waiters that have what they wait for.
    mutating func satisfied() -> [Callback] {
      guard !waiters.isEmpty else { return [] }
      let ready = waiters.filter { $0.count <= total }
      waiters.removeAll { $0.count <= total }
      return ready.map(\.callback)
    }
  }

  private let state: Locked<State>

  init(_ recording: MockGateway.Recording) {
    state = Locked(State(recording: recording))
  }

  // MARK: Writing

  func count(_ service: MockGateway.Service, _ change: (inout MockGateway.Counters) -> Void) {
    state.withLock { change(&$0.counters[service.rawValue]) }
  }

  /// Notes a request that was not accepted; `refusal` is nil when a script took it.
  func refused(_ service: MockGateway.Service, _ refusal: String?) {
    state.withLock { state in
      state.counters[service.rawValue].requests += 1
      if let refusal { state.counters[service.rawValue].refusals[refusal, default: 0] += 1 }
    }
  }

  /// Notes an access token issued.
  func accepted(_ service: MockGateway.Service) {
    state.withLock { state in
      state.counters[service.rawValue].requests += 1
      state.counters[service.rawValue].accepted += 1
    }
  }

  /// Notes a notification accepted; it is made only when it is kept.
  func delivered(_ service: MockGateway.Service, _ delivery: @autoclosure () -> MockGateway.Delivery) {
    let ready = state.withLock { state -> [Callback] in
      state.counters[service.rawValue].requests += 1
      state.counters[service.rawValue].accepted += 1
      state.total += 1
      if case .full(let limit) = state.recording { state.append(delivery(), limit: limit) }
      return state.satisfied()
    }
    for callback in ready { callback(true) }
  }

  // MARK: Reading

  /// Oldest first.
  var deliveries: [MockGateway.Delivery] {
    state.withLock { Array($0.deliveries[$0.oldest...] + $0.deliveries[..<$0.oldest]) }
  }

  var total: Int { state.withLock { $0.total } }

  func counters(_ service: MockGateway.Service) -> MockGateway.Counters {
    state.withLock { $0.counters[service.rawValue] }
  }

  func setRecording(_ recording: MockGateway.Recording) {
    state.withLock { state in
      state.recording = recording
      state.deliveries = []
      state.oldest = 0
    }
  }

  func reset() {
    state.withLock { state in
      state.deliveries = []
      state.oldest = 0
      state.total = 0
      for index in state.counters.indices {
        let open = state.counters[index].connectionsOpen
        state.counters[index] = MockGateway.Counters()
        state.counters[index].connectionsOpen = open
      }
    }
  }

  // MARK: Waiting

  /// Calls `callback` with true once `count` deliveries have come, at once if they have; with false when
  /// the log is closed. Gives a number to `giveUp` with while it waits.
  func wait(for count: Int, _ callback: @escaping Callback) -> Int? {
    let (answer, id) = state.withLock { state -> (Bool?, Int?) in
      if state.total >= count { return (true, nil) }
      if state.isClosed { return (false, nil) }
      let id = state.nextWaiter
      state.nextWaiter += 1
      state.waiters.append(Waiter(id: id, count: count, callback: callback))
      return (nil, id)
    }
    if let answer { callback(answer) }
    return id
  }

  func giveUp(_ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiters.remove(at: index)
    }
    waiter?.callback(false)
  }

  /// Lets nobody wait any more.
  func close() {
    let waiters = state.withLock { state -> [Waiter] in
      state.isClosed = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.callback(false) }
  }
}
