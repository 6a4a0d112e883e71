import EventLoop

/// Sends requests to one endpoint over HTTP/2: a small pool of connections on one loop, opened as needed
/// and kept. Belongs to its loop's thread, where it must be let go of too.
public final class HTTP2Client {
  /// Begins a connection: makes a transport that connects, with the given delegate. ALPN, where there is
  /// TLS, must offer `h2`.
  public typealias ConnectionFactory = (EventLoop, any TransportDelegate) -> any Transport

  public typealias Completion = (Result<HTTPResponse, HTTP2ClientError>) -> Void

  /// A class: the dictionary hands it out without copying the request's parts.
  private final class Pending {
    let request: HTTPRequest
    let completion: Completion
    let timer: Timer
    var connection: HTTP2PoolState.ConnectionID?

    init(request: HTTPRequest, completion: @escaping Completion, timer: Timer) {
      self.request = request
      self.completion = completion
      self.timer = timer
    }
  }

  /// Hears of connections that come and go.
  public var onNotice: ((Notice) -> Void)?

  private let loop: EventLoop
  private let configuration: Configuration
  private let connect: ConnectionFactory
  private var state: HTTP2PoolState
  private var connections: [HTTP2PoolState.ConnectionID: HTTP2ClientConnection] = [:]
  private var pending: [HTTP2PoolState.RequestID: Pending] = [:]
  private var nextRequest: HTTP2PoolState.RequestID = 1
  private var backoffTimer: Timer?
  private var shutdownCompletions: [() -> Void] = []
  private var isShutDown = false
  private var totals = Counters()
  /// The connection whose response is being handed over.
  private var answering: HTTP2PoolState.ConnectionID?
  private var lastRetirement: MonotonicTime?

  /// A client without a connection yet; the first request opens one.
  public init(
    loop: EventLoop, configuration: Configuration = Configuration(), connect: @escaping ConnectionFactory
  ) {
    self.loop = loop
    self.configuration = configuration
    self.connect = connect
    var pool = HTTP2PoolState.Configuration()
    pool.maxConnections = configuration.maxConnections
    pool.queueLimit = configuration.queueLimit
    pool.maxRefusals = configuration.maxRefusals
    pool.connectFailureLimit = configuration.connectFailureLimit
    state = HTTP2PoolState(pool, seed: .random(in: 0...(.max)))
  }

  deinit {
    backoffTimer?.cancel()
    for connection in connections.values { connection.fail(.cancelled) }
    for request in pending.values {
      request.timer.cancel()
      request.completion(.failure(.cancelled))
    }
  }

  /// The counters as they stand.
  public var counters: Counters {
    var counters = totals
    counters.openConnections = state.openConnections
    counters.activeStreams = state.activeStreams
    counters.queuedRequests = state.queuedRequests
    return counters
  }

  // MARK: Requests

  /// Sends `request`. `completion` is called exactly once on the loop, never within this call; at the
  /// latest when `deadline` has passed. A passed deadline resets the stream; the connection goes on.
  @discardableResult
  public func send(
    _ request: HTTPRequest, deadline: MonotonicTime, completion: @escaping Completion
  ) -> HTTP2RequestHandle {
    let id = nextRequest
    nextRequest += 1
    let timer = loop.schedule(at: deadline) { [weak self] in self?.timeOut(id) }
    pending[id] = Pending(request: request, completion: completion, timer: timer)
    let actions = state.enqueue(id)
    if case .fail(_, let error) = actions.first {
      loop.schedule(at: loop.now) { self.complete(id, .failure(error)) }
    } else {
      perform(actions)
    }
    return HTTP2RequestHandle(client: self, id: id)
  }

  /// Within the completion of a request that was answered: puts no more requests on the connection that
  /// brought the answer, for a peer that is to be asked on another one. Those on it go on.
  ///
  /// False when requests may still go there: outside of such a completion, or when another connection was
  /// given up so recently that a peer with the same fault everywhere would get a new one for each request.
  public func retireConnection() -> Bool {
    guard let answering else { return false }
    if !state.takesRequests(answering) { return true }
    if let lastRetirement, loop.now - lastRetirement < configuration.retirementInterval { return false }
    lastRetirement = loop.now
    perform(state.retire(answering))
    return true
  }

  fileprivate func cancel(_ id: HTTP2PoolState.RequestID) {
    giveUp(id, .cancelled)
  }

  /// Of a request that still waits for a connection, what keeps that from coming about says more than the time.
  private func timeOut(_ id: HTTP2PoolState.RequestID) {
    let isWaiting = pending[id]?.connection == nil
    giveUp(id, isWaiting ? state.connectError ?? .timedOut : .timedOut)
  }

  private func giveUp(_ id: HTTP2PoolState.RequestID, _ error: HTTP2ClientError) {
    guard let request = pending[id] else { return }
    complete(id, .failure(error))
    if let connection = request.connection { connections[connection]?.cancel(id) }
    perform(state.requestDone(id))
  }

  /// Ends a request and tells the pool.
  private func finish(_ id: HTTP2PoolState.RequestID, _ result: Result<HTTPResponse, HTTP2ClientError>) {
    complete(id, result)
    perform(state.requestDone(id))
  }

  private func complete(_ id: HTTP2PoolState.RequestID, _ result: Result<HTTPResponse, HTTP2ClientError>) {
    guard let request = pending.removeValue(forKey: id) else { return }
    request.timer.cancel()
    request.completion(result)
  }

  /// Takes no more requests; finishes those under way, closes all connections, then calls `completion`.
  public func shutdown(_ completion: @escaping () -> Void) {
    guard !isShutDown else {
      loop.schedule(at: loop.now) { completion() }
      return
    }
    // Holding itself: the caller may let go of the client meanwhile.
    shutdownCompletions.append {
      completion()
      _ = self
    }
    perform(state.shutdown())
  }

  // MARK: Actions

  private func perform(_ actions: [HTTP2PoolState.Action]) {
    for action in actions {
      switch action {
      case .open(let id): open(id)
      case .start(let request, let connection): start(request, on: connection)
      case .fail(let request, let error): complete(request, .failure(error))
      case .close(let id): connections[id]?.close()
      case .armBackoff(let pause):
        backoffTimer = loop.schedule(after: pause) { [weak self] in
          guard let self else { return }
          self.perform(self.state.backoffElapsed())
        }
      case .finished:
        isShutDown = true
        backoffTimer?.cancel()
        let completions = shutdownCompletions
        shutdownCompletions = []
        for completion in completions { loop.schedule(at: loop.now) { completion() } }
      }
    }
  }

  private func open(_ id: HTTP2PoolState.ConnectionID) {
    let timing = HTTP2ClientConnection.Timing(
      connectTimeout: configuration.connectTimeout, pingAfterIdle: configuration.pingAfterIdle,
      pingAfterSilence: configuration.pingAfterSilence, pingBeforeReuse: configuration.pingBeforeReuse,
      pingTimeout: configuration.pingTimeout, spareTimeout: configuration.spareTimeout)
    do throws(HTTP2Error) {
      let connection = try HTTP2ClientConnection(
        id: id, loop: loop, timing: timing, session: configuration.session,
        requiresALPN: configuration.requiresALPN, owner: self)
      connections[id] = connection
      connection.begin(connect(loop, connection))
    } catch {
      // Not within the call that wants the connection: it may be `send`.
      loop.schedule(at: loop.now) { [weak self] in
        guard let self else { return }
        self.perform(self.state.connectionClosed(id, .connectFailed(error.description)))
      }
    }
  }

  private func start(_ id: HTTP2PoolState.RequestID, on connection: HTTP2PoolState.ConnectionID) {
    guard let entry = pending[id], let target = connections[connection] else {
      // Ended by an earlier action of the same batch; its place is not needed.
      return perform(state.streamClosed(connection, answered: false))
    }
    do throws(HTTP2Error) {
      try target.start(id, entry.request)
      entry.connection = connection
      totals.requestsSent += 1
    } catch .closing {
      // Its stream IDs are used up: another connection takes over.
      perform(state.goAway(connection, hasTaken: true))
      perform(state.requestRefused(id))
      perform(state.streamClosed(connection, answered: false))
    } catch {
      perform(state.streamClosed(connection, answered: false))
      // Not within this call: it may be `send`.
      loop.schedule(at: loop.now) { self.finish(id, .failure(.protocolError(error.description))) }
    }
  }
}

extension HTTP2Client: HTTP2ClientConnectionOwner {
  func connection(_ id: HTTP2PoolState.ConnectionID, did event: HTTP2ClientConnection.Event) {
    switch event {
    case .ready(let maxStreams):
      totals.connectionsOpened += 1
      onNotice?(.connected)
      perform(
        state.connectionReady(id, maxStreams: min(maxStreams, configuration.maxStreamsPerConnection)))
    case .settings(let maxStreams):
      perform(
        state.settingsChanged(id, maxStreams: min(maxStreams, configuration.maxStreamsPerConnection)))
    case .response(let request, let response):
      answering = id
      finish(request, .success(response))
      answering = nil
    case .streamClosed(_, nil):
      perform(state.streamClosed(id, answered: true))
    case .streamClosed(let request, .refused?):
      pending[request]?.connection = nil
      perform(state.requestRefused(request))
      perform(state.streamClosed(id, answered: false))
    case .streamClosed(let request, .reset(let code)?):
      finish(request, .failure(.reset(code)))
      perform(state.streamClosed(id, answered: false))
    case .streamClosed(let request, .responseTooLarge?):
      finish(request, .failure(.responseTooLarge))
      perform(state.streamClosed(id, answered: true))
    case .goAway(let code, let debugData, let hasTaken):
      onNotice?(.goAway(code, debugData: debugData))
      perform(state.goAway(id, hasTaken: hasTaken))
    case .idle:
      perform(state.connectionIdle(id))
    case .closed(let error, let unsent):
      connections[id] = nil
      totals.connectionsClosed += 1
      onNotice?(.disconnected(error))
      for request in unsent { pending[request]?.connection = nil }
      perform(state.connectionClosed(id, error, unsent: unsent))
    }
  }
}

/// A request under way.
public struct HTTP2RequestHandle {
  fileprivate weak var client: HTTP2Client?
  fileprivate let id: HTTP2PoolState.RequestID

  /// Gives up on the request: its completion is called with `cancelled`, its stream is reset. Does
  /// nothing once the request has ended. Loop thread only.
  public func cancel() {
    client?.cancel(id)
  }
}
