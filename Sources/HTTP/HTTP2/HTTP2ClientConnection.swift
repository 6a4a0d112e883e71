import EventLoop

/// Hears what happens on a client's connection.
protocol HTTP2ClientConnectionOwner: AnyObject {
  func connection(_ id: HTTP2PoolState.ConnectionID, did event: HTTP2ClientConnection.Event)
}

/// One HTTP/2 connection of a client: a session on a transport. Loop thread only.
final class HTTP2ClientConnection {
  typealias RequestID = HTTP2PoolState.RequestID

  enum Event {
    /// The peer's first settings came: requests may start.
    case ready(maxStreams: Int)
    case settings(maxStreams: Int)
    case response(RequestID, HTTPResponse)
    /// The request's stream is gone; `failure` is nil when a response came before.
    case streamClosed(RequestID, failure: HTTP2StreamFailure?)
    /// `hasTaken`: the peer goes on with some request, or has answered it.
    case goAway(HTTP2ErrorCode, debugData: [UInt8], hasTaken: Bool)
    /// No request for as long as a spare connection is kept.
    case idle
    /// The last event.
    case closed(HTTP2ClientError, unsent: Set<RequestID>)
  }

  struct Timing {
    var connectTimeout: Duration
    var pingAfterIdle: Duration
    var pingAfterSilence: Duration
    var pingBeforeReuse: Duration
    var pingTimeout: Duration
    var spareTimeout: Duration
  }

  /// Above this many bytes in the transport, the session's output waits.
  private static let outputHighWater = 262_144

  let id: HTTP2PoolState.ConnectionID
  private let loop: EventLoop
  private let timing: Timing
  private let session: HTTP2ClientSession
  private let requiresALPN: Bool
  private weak var owner: (any HTTP2ClientConnectionOwner)?
  private var transport: (any Transport)?
  private var requests: [Int32: RequestID] = [:]
  private var streams: [RequestID: Int32] = [:]
  private var isConnected = false
  private var isReady = false
  private var isClosed = false
  private var flushIsDue = false
  private var connectTimer: Timer?
  private var livenessTimer: Timer?
  private var pingTimer: Timer?
  private var pingCount: UInt64 = 0
  private var lastRead: MonotonicTime
  private var lastUse: MonotonicTime

  init(
    id: HTTP2PoolState.ConnectionID, loop: EventLoop, timing: Timing,
    session: HTTP2ClientSession.Configuration, requiresALPN: Bool, owner: any HTTP2ClientConnectionOwner
  ) throws(HTTP2Error) {
    self.id = id
    self.loop = loop
    self.timing = timing
    self.session = try HTTP2ClientSession(session)
    self.requiresALPN = requiresALPN
    self.owner = owner
    lastRead = loop.now
    lastUse = loop.now
  }

  /// Begins: `transport` is connecting and has this connection as its delegate.
  func begin(_ transport: any Transport) {
    self.transport = transport
    connectTimer = loop.schedule(after: timing.connectTimeout) { [weak self] in
      guard let self else { return }
      self.fail(.connectFailed("no HTTP/2 connection within \(self.timing.connectTimeout)"))
    }
  }

  // MARK: Requests

  /// Puts a request on a stream.
  func start(_ id: RequestID, _ request: HTTPRequest) throws(HTTP2Error) {
    let stream = try session.submit(request)
    requests[stream] = id
    streams[id] = stream
    // After a long rest the peer may be gone without a word: a PING along with the request tells soon.
    if loop.now - lastRead > timing.pingBeforeReuse { ping() }
    lastUse = loop.now
    scheduleFlush()
  }

  /// Gives up on a request; its stream's end follows.
  func cancel(_ id: RequestID) {
    guard let stream = streams[id] else { return }
    session.cancel(stream)
    if !session.wasSent(stream) {
      // Held back by the peer's limit, which may stay where it is: the session would report the end
      // only once there was room.
      requests[stream] = nil
      streams[id] = nil
      owner?.connection(self.id, did: .streamClosed(id, failure: .reset(.cancel)))
    }
    scheduleFlush()
  }

  /// Says goodbye and closes. For when no stream is open.
  func close() {
    guard isConnected else { return fail(.cancelled) }
    session.shutdown()
    finish(.cancelled)
  }

  // MARK: Output

  private func scheduleFlush() {
    guard isConnected, !flushIsDue, !isClosed else { return }
    flushIsDue = true
    loop.atTurnEnd(self)
  }

  private func flush() {
    guard let transport, isConnected, !isClosed else { return }
    do throws(HTTP2Error) {
      while transport.pendingWriteBytes < Self.outputHighWater {
        let output = try session.nextOutput()
        if output.isEmpty { break }
        transport.write(output)
        if isClosed { return }
      }
    } catch {
      return fail(.protocolError(error.description))
    }
    deliverEvents()
    if session.isFinished, !isClosed {
      finish(session.failure.map { .protocolError($0.description) } ?? .connectionLost(afterSend: true))
    }
  }

  // MARK: Input

  private func deliverEvents() {
    while !isClosed, let event = session.nextEvent() {
      switch event {
      case .settings(let maxStreams):
        if isReady {
          owner?.connection(id, did: .settings(maxStreams: maxStreams))
        } else {
          becomeReady(maxStreams)
        }
      case .response(let stream, let response):
        if let request = requests[stream] { owner?.connection(id, did: .response(request, response)) }
      case .streamClosed(let stream, let failure):
        guard let request = requests.removeValue(forKey: stream) else { continue }
        streams[request] = nil
        lastUse = loop.now
        owner?.connection(id, did: .streamClosed(request, failure: failure))
      case .goAway(let lastStream, let code, let debugData):
        owner?.connection(id, did: .goAway(code, debugData: debugData, hasTaken: lastStream > 0))
      case .pingAcknowledged(let payload):
        guard payload == pingCount else { continue }
        pingTimer?.cancel()
        pingTimer = nil
      }
    }
  }

  private func becomeReady(_ maxStreams: Int) {
    isReady = true
    connectTimer?.cancel()
    connectTimer = nil
    watchLiveness()
    owner?.connection(id, did: .ready(maxStreams: maxStreams))
  }

  // MARK: Liveness

  private func watchLiveness() {
    // Looks often enough that what is due is late by a quarter at most.
    let interval = min(timing.pingAfterSilence, timing.pingAfterIdle, timing.spareTimeout) / 4
    livenessTimer = loop.schedule(after: interval) { [weak self] in
      guard let self, !self.isClosed else { return }
      self.checkLiveness()
      if !self.isClosed { self.watchLiveness() }
    }
  }

  private func checkLiveness() {
    let silence = loop.now - lastRead
    let limit = requests.isEmpty ? timing.pingAfterIdle : timing.pingAfterSilence
    if requests.isEmpty, loop.now - lastUse >= timing.spareTimeout {
      owner?.connection(id, did: .idle)
    }
    if !isClosed, silence >= limit { ping() }
  }

  private func ping() {
    guard pingTimer == nil, isConnected else { return }
    pingCount += 1
    do throws(HTTP2Error) {
      try session.ping(pingCount)
    } catch {
      return fail(.protocolError(error.description))
    }
    pingTimer = loop.schedule(after: timing.pingTimeout) { [weak self] in
      self?.fail(.connectionLost(afterSend: true))
    }
    scheduleFlush()
  }

  // MARK: Ending

  /// Ends at once.
  func fail(_ error: HTTP2ClientError) {
    guard !isClosed else { return }
    let transport = self.transport
    report(error)
    transport?.abort()
  }

  /// Ends after what the session still has to say was sent.
  private func finish(_ error: HTTP2ClientError) {
    guard !isClosed else { return }
    let transport = self.transport
    if let last = try? session.nextOutput(), !last.isEmpty { transport?.write(last) }
    report(error)
    transport?.close()
  }

  private func report(_ error: HTTP2ClientError) {
    isClosed = true
    transport?.delegate = nil
    transport = nil
    connectTimer?.cancel()
    livenessTimer?.cancel()
    pingTimer?.cancel()
    let unsent = Set(requests.filter { !session.wasSent($0.key) }.values)
    requests = [:]
    streams = [:]
    owner?.connection(id, did: .closed(error, unsent: unsent))
  }
}

extension HTTP2ClientConnection: TurnEndAction {
  func turnWillEnd() {
    flushIsDue = false
    flush()
  }
}

extension HTTP2ClientConnection: TransportDelegate {
  func transportDidConnect(_ transport: any Transport) {
    guard !isClosed else { return }
    let chosen = transport.negotiatedProtocol
    if chosen != "h2", chosen != nil || requiresALPN {
      return fail(.connectFailed("the peer does not speak HTTP/2: ALPN chose \(chosen ?? "nothing")"))
    }
    isConnected = true
    lastRead = loop.now
    scheduleFlush()
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    guard !isClosed else { return }
    lastRead = loop.now
    do throws(HTTP2Error) {
      try session.receive(bytes)
    } catch {
      deliverEvents()
      return finish(.protocolError(error.description))
    }
    deliverEvents()
    scheduleFlush()
  }

  func transportDidReadEOF(_ transport: any Transport) {
    deliverEvents()
    finish(isReady ? .connectionLost(afterSend: true) : .connectFailed("the peer closed the connection"))
  }

  func transportDidDrain(_ transport: any Transport) {
    scheduleFlush()
  }

  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    guard !isClosed else { return }
    guard !isReady else { return report(.connectionLost(afterSend: true)) }
    switch error {
    case .tls(let failure): report(.tlsFailed(failure))
    case .none: report(.connectFailed("the peer closed the connection"))
    case .some(let error): report(.connectFailed(error.description))
    }
  }
}
