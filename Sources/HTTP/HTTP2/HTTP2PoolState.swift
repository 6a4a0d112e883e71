/// Decides which request goes on which connection, and when connections are opened and closed. A
/// value without I/O: each event returns the actions that the driver is to perform, in order.
///
/// A connection is opened only for a waiting request; a further one only when all streams of the
/// present ones are taken, and the present ones have proved themselves by ending a stream. That spares
/// APNs a crowd of connections at the start, where it allows one stream until the token was accepted.
/// One attempt to connect is made at a time.
struct HTTP2PoolState {
  typealias RequestID = UInt64
  typealias ConnectionID = Int

  struct Configuration: Sendable {
    var maxConnections = 4
    /// Requests that may wait for a stream.
    var queueLimit = 10_000
    /// How often a request that the peer refused is put on another stream. A GOAWAY of a peer that took other
    /// requests does not count: many peers take so many for each connection, and no more.
    var maxRefusals = 3
    /// Attempts to connect that may fail in a row before the waiting requests fail with the last error.
    /// Until then they wait: a blip costs them a pause, an outage is told within seconds.
    var connectFailureLimit = 3
    /// The pause after a failed attempt, doubled each time up to the cap.
    var backoffBase = Duration.milliseconds(100)
    var backoffCap = Duration.seconds(5)
  }

  enum Action: Equatable {
    case open(ConnectionID)
    case start(RequestID, on: ConnectionID)
    case fail(RequestID, HTTP2ClientError)
    /// Say goodbye and close; no stream is open on it.
    case close(ConnectionID)
    /// Call `backoffElapsed` after this time.
    case armBackoff(Duration)
    /// The shutdown is done: no request and no connection is left.
    case finished
  }

  private struct Connection {
    enum Phase { case connecting, ready, draining, closing }
    let id: ConnectionID
    var phase = Phase.connecting
    var maxStreams = 0
    var activeStreams = 0
    /// A stream has ended on it, however.
    var hasEndedStream = false
    /// A response came on it.
    var hasAnswered = false
    /// Its end is no failure, or counted as one already.
    var isSettled = false
    /// GOAWAY left it requests that it goes on with.
    var isFinishing = false

    var hasRoom: Bool { phase == .ready && activeStreams < maxStreams }
    /// Its first stream is still under way.
    var isProving: Bool { phase == .ready && activeStreams > 0 && !hasEndedStream }
  }

  private struct Request {
    var connection: ConnectionID?
    var refusals = 0
  }

  private let configuration: Configuration
  private var connections: [Connection] = []
  private var nextConnection = 0
  private var requests: [RequestID: Request] = [:]
  private var queue = HTTP2RequestQueue()
  private var backoff: HTTP2Backoff
  private var isBackingOff = false
  private var lastFailure: HTTP2ClientError?
  private var isShuttingDown = false
  private var hasFinished = false

  init(_ configuration: Configuration, seed: UInt64) {
    self.configuration = configuration
    backoff = HTTP2Backoff(base: configuration.backoffBase, cap: configuration.backoffCap, seed: seed)
  }

  var queuedRequests: Int { queue.count }
  var activeStreams: Int { connections.reduce(0) { $0 + $1.activeStreams } }
  /// Connections that are open, whether or not they take requests.
  var openConnections: Int { connections.count { $0.phase != .connecting } }

  /// Why requests wait: the last attempt's error when no connection takes any.
  var connectError: HTTP2ClientError? {
    connections.contains { $0.phase == .ready } ? nil : lastFailure
  }

  // MARK: Requests

  /// A request wants a stream. IDs must grow.
  mutating func enqueue(_ id: RequestID) -> [Action] {
    guard !isShuttingDown else { return [.fail(id, .cancelled)] }
    // The common case first, without a stay in the queue.
    if queue.isEmpty, let index = connections.firstIndex(where: \.hasRoom) {
      requests[id] = Request(connection: connections[index].id)
      connections[index].activeStreams += 1
      return [.start(id, on: connections[index].id)]
    }
    guard queue.count < configuration.queueLimit else { return [.fail(id, .queueFull)] }
    requests[id] = Request()
    queue.append(id)
    return advance()
  }

  /// The request is done with: answered, failed or given up by the caller. When it had a stream, that
  /// ends apart (`streamClosed`).
  mutating func requestDone(_ id: RequestID) -> [Action] {
    guard let request = requests.removeValue(forKey: id) else { return [] }
    if request.connection == nil { queue.remove(id) }
    return advance()
  }

  /// The peer did not look at the request: it goes back to the front, a bounded number of times.
  mutating func requestRefused(_ id: RequestID) -> [Action] {
    guard let connection = requests[id]?.connection else { return [] }
    let isFree = index(connection).map { connections[$0].isFinishing } ?? false
    guard !putBack(id, isFree: isFree) else { return advance() }
    requests[id] = nil
    return [.fail(id, .refused)] + advance()
  }

  /// False when the request has been put back as often as it may.
  private mutating func putBack(_ id: RequestID, isFree: Bool) -> Bool {
    guard var request = requests[id], isFree || request.refusals < configuration.maxRefusals else {
      return false
    }
    if !isFree { request.refusals += 1 }
    request.connection = nil
    requests[id] = request
    queue.putBack(id)
    return true
  }

  // MARK: Connections

  /// The peer's first settings came.
  mutating func connectionReady(_ id: ConnectionID, maxStreams: Int) -> [Action] {
    guard let index = index(id), connections[index].phase == .connecting else { return [] }
    connections[index].phase = .ready
    connections[index].maxStreams = maxStreams
    return advance()
  }

  mutating func settingsChanged(_ id: ConnectionID, maxStreams: Int) -> [Action] {
    guard let index = index(id) else { return [] }
    connections[index].maxStreams = maxStreams
    return advance()
  }

  /// A stream ended and its place is free. `answered`: with a response.
  mutating func streamClosed(_ id: ConnectionID, answered: Bool) -> [Action] {
    guard let index = index(id), connections[index].activeStreams > 0 else { return [] }
    connections[index].activeStreams -= 1
    connections[index].hasEndedStream = true
    if answered {
      connections[index].hasAnswered = true
      lastFailure = nil
      backoff.succeed()
    }
    return advance()
  }

  /// The peer takes no more requests on the connection; those that it accepted go on. `hasTaken`: there are
  /// such, maybe answered already.
  mutating func goAway(_ id: ConnectionID, hasTaken: Bool) -> [Action] {
    guard let index = index(id), connections[index].phase != .closing else { return [] }
    connections[index].phase = .draining
    connections[index].isFinishing = hasTaken
    // GOAWAY may overtake the answers to what was accepted.
    guard !hasTaken || connections[index].activeStreams == 0 else { return advance() }
    return settle(index, Self.servedNothing) + advance()
  }

  private static let servedNothing = HTTP2ClientError.connectFailed(
    "the peer closes connections without serving a request")

  /// The peer answers, but should be asked on another connection: this one gets no more requests.
  mutating func retire(_ id: ConnectionID) -> [Action] {
    guard let index = index(id), connections[index].phase == .ready else { return [] }
    connections[index].phase = .draining
    connections[index].isSettled = true
    return advance()
  }

  /// Whether new requests may be put on the connection.
  func takesRequests(_ id: ConnectionID) -> Bool {
    connections.contains { $0.id == id && $0.phase == .ready }
  }

  /// The connection is gone or never came about. Of the requests that were on it, those that were not
  /// sent (`unsent`) go back to the queue, the others fail as lost.
  mutating func connectionClosed(
    _ id: ConnectionID, _ error: HTTP2ClientError, unsent: Set<RequestID> = []
  ) -> [Action] {
    guard let index = index(id) else { return [] }
    var actions: [Action] = []
    for lost in requests.filter({ $0.value.connection == id }).keys.sorted() {
      if unsent.contains(lost), putBack(lost, isFree: connections[index].hasAnswered) { continue }
      requests[lost] = nil
      actions.append(.fail(lost, .connectionLost(afterSend: !unsent.contains(lost))))
    }
    connections[index].phase = .closing
    actions += settle(index, error)
    connections.remove(at: index)
    return actions + advance()
  }

  /// The pause that was armed is over.
  mutating func backoffElapsed() -> [Action] {
    isBackingOff = false
    return advance()
  }

  /// Nothing happened on the connection for long: it is closed when another one serves.
  mutating func connectionIdle(_ id: ConnectionID) -> [Action] {
    guard let index = index(id), connections[index].phase == .ready, connections[index].activeStreams == 0,
      connections.contains(where: { $0.id != id && $0.phase == .ready })
    else { return [] }
    connections[index].phase = .closing
    connections[index].isSettled = true
    return [.close(id)]
  }

  /// Takes no more requests, finishes those it has, then closes all connections.
  mutating func shutdown() -> [Action] {
    isShuttingDown = true
    return advance()
  }

  // MARK: Decisions

  /// A connection that ends without having answered anything counts as a failed attempt, or a peer
  /// that accepts and closes would make us spin.
  private mutating func settle(_ index: Int, _ error: HTTP2ClientError) -> [Action] {
    guard !connections[index].isSettled, !connections[index].hasAnswered else { return [] }
    connections[index].isSettled = true
    lastFailure = error
    var actions: [Action] = []
    let pause = backoff.fail()
    if !isBackingOff {
      isBackingOff = true
      actions.append(.armBackoff(pause))
    }
    let othersServe = connections.contains { $0.phase == .ready }
    if backoff.failures >= configuration.connectFailureLimit, !othersServe {
      while let waiting = queue.popFirst() {
        requests[waiting] = nil
        actions.append(.fail(waiting, error))
      }
    }
    return actions
  }

  private func index(_ id: ConnectionID) -> Int? {
    connections.firstIndex { $0.id == id }
  }

  /// Does what has become possible.
  private mutating func advance() -> [Action] {
    var actions: [Action] = []
    while !queue.isEmpty, let index = connections.firstIndex(where: \.hasRoom), let id = queue.popFirst() {
      requests[id]?.connection = connections[index].id
      connections[index].activeStreams += 1
      actions.append(.start(id, on: connections[index].id))
    }
    if !queue.isEmpty, mayOpen {
      connections.append(Connection(id: nextConnection))
      actions.append(.open(nextConnection))
      nextConnection += 1
    }
    let endsAll = isShuttingDown && requests.isEmpty
    for index in connections.indices where connections[index].phase != .closing {
      let isSpent = connections[index].phase == .draining && connections[index].activeStreams == 0
      guard isSpent || (endsAll && connections[index].activeStreams == 0) else { continue }
      if isSpent, !endsAll { actions += settle(index, Self.servedNothing) }
      connections[index].phase = .closing
      connections[index].isSettled = true
      actions.append(.close(connections[index].id))
    }
    if endsAll, connections.isEmpty, !hasFinished {
      hasFinished = true
      actions.append(.finished)
    }
    return actions
  }

  private var mayOpen: Bool {
    guard !isBackingOff else { return false }
    let serving = connections.count { $0.phase == .connecting || $0.phase == .ready }
    return serving < configuration.maxConnections
      // Those that drain have their places too, or a peer could make us open any number.
      && connections.count < configuration.maxConnections * 2
      && !connections.contains { $0.phase == .connecting || $0.isProving }
  }
}
