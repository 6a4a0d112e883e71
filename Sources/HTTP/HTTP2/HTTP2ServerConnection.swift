import EventLoop

/// A connection of an HTTP/2 server: many requests at a time. Loop thread only.
public final class HTTP2ServerConnection: HTTPServerConnection {
  /// What is said at the end at most: answers to a flood come before the GOAWAY that ends it.
  private static let lastWords = 1_048_576
  /// Above this many bytes in the transport, the session's output waits.
  private static let outputHighWater = 262_144
  /// Payload of the PING whose acknowledgement ends the first step of a shutdown.
  private static let shutdownPing: UInt64 = 0x7368_7574_646f_776e

  private struct WeakResponder {
    weak var responder: HTTPResponder?
  }

  public var onClose: (() -> Void)?
  private let transport: any Transport
  private let context: HTTPServerContext
  private let session: HTTP2ServerSession
  private var responders: [Int32: WeakResponder] = [:]
  /// Bodies that are being streamed.
  private var bodies: [Int32: HTTPBodyStream] = [:]
  private var requestCount = 0
  private var watch: HTTP2ServerWatch
  private var watchTimer: Timer?
  private var shutdownTimer: Timer?
  private var isOpen = false
  private var flushIsDue = false
  private var isDraining = false
  /// What was left to say is on its way; nothing more is read.
  private var isClosing = false
  private var isClosed = false

  /// Serves `transport`, whose delegate it becomes. The owner keeps the connection until `onClose`.
  /// Fails only for want of memory.
  public init(
    transport: any Transport, context: HTTPServerContext, scheme: String = "https"
  ) throws(HTTP2Error) {
    self.transport = transport
    self.context = context
    var configuration = HTTP2ServerSession.Configuration(context.options.limits)
    configuration.scheme = scheme
    session = try HTTP2ServerSession(configuration)
    watch = HTTP2ServerWatch(options: context.options, now: context.loop.now)
    transport.delegate = self
  }

  public func shutdown() {
    guard !isDraining, !isClosing else { return }
    isDraining = true
    guard isOpen else { return close() }
    for body in bodies.values { body.shutdown() }
    // Two steps, so that requests already on the way are served (RFC 9113, section 6.8).
    do throws(HTTP2Error) {
      try session.announceShutdown()
      try session.ping(Self.shutdownPing)
    } catch {
      return close()
    }
    shutdownTimer = context.loop.schedule(after: .seconds(1)) { [weak self] in self?.refuseNewStreams() }
    scheduleFlush()
  }

  public func abort() {
    transport.abort()
  }

  private func refuseNewStreams() {
    guard isDraining, !isClosing, let timer = shutdownTimer else { return }
    timer.cancel()
    shutdownTimer = nil
    do throws(HTTP2Error) {
      try session.goAway()
    } catch {
      return close()
    }
    scheduleFlush()
  }

  // MARK: Requests

  private func deliverEvents() {
    while !isClosed, let event = session.nextEvent() {
      switch event {
      case .request(let stream, let request):
        serve(stream, request)
      case .requestRefused(let stream, let status):
        context.counters.requestsRefused += 1
        respond(stream, context.options.errorResponse(status, HTTPStatus.reason(status)))
      case .streamClosed(let stream, _):
        watch.progressed(now: context.loop.now)
        responders.removeValue(forKey: stream)?.responder?.cancel()
        bodies.removeValue(forKey: stream)?.close()
      case .pingAcknowledged(Self.shutdownPing):
        refuseNewStreams()
      case .goAway, .pingAcknowledged:
        break
      }
    }
  }

  private func serve(_ stream: Int32, _ request: consuming HTTPRequest) {
    context.counters.requests += 1
    request.remoteAddress = transport.remoteAddress
    let responder = HTTPResponder(sink: self, stream: stream)
    responders[stream] = WeakResponder(responder: responder)
    context.handler.handle(request, responder)
    requestCount += 1
    if let limit = context.options.maximumRequestsPerConnection, requestCount >= limit { shutdown() }
  }

  private func respond(_ stream: Int32, _ response: HTTPResponse) {
    guard !isClosing else { return }
    var response = response
    response.fields.set("date", String(decoding: context.date.current, as: UTF8.self))
    session.respond(stream, response)
    watch.progressed(now: context.loop.now)
    scheduleFlush()
  }

  // MARK: Output

  private func scheduleFlush() {
    guard isOpen, !flushIsDue, !isClosing else { return }
    flushIsDue = true
    context.loop.atTurnEnd(self)
  }

  private func flush() {
    guard isOpen, !isClosing else { return }
    do throws(HTTP2Error) {
      while transport.pendingWriteBytes < Self.outputHighWater {
        let output = try session.nextOutput()
        if output.isEmpty { break }
        transport.write(output)
        watch.progressed(now: context.loop.now)
      }
    } catch {
      return close()
    }
    deliverEvents()
    if session.isFinished { return close() }
    for (stream, body) in bodies where pendingBytes(stream: stream) == 0 { body.didDrain() }
  }

  private func close() {
    guard !isClosing else { return }
    if isOpen, let last = try? session.nextOutput(limit: Self.lastWords), !last.isEmpty {
      transport.write(last)
    }
    isClosing = true
    shutdownTimer?.cancel()
    // The watch goes on: a peer that does not take our last words must not keep the connection.
    transport.close()
  }

  // MARK: Time

  private func startWatch() {
    watchTimer = context.loop.schedule(after: context.shortestTimeout) { [weak self] in
      guard let self, !self.isClosed else { return }
      self.check()
      if !self.isClosed { self.startWatch() }
    }
  }

  private func check() {
    let verdict = watch.check(
      now: context.loop.now, incomplete: isClosing ? [] : session.incompleteStreams,
      openStreams: session.openStreams,
      awaitingHandler: !responders.isEmpty || bodies.keys.contains { session.pendingBody($0) == 0 },
      pendingBytes: transport.pendingWriteBytes)
    for stream in verdict.tooSlow {
      context.counters.timeouts += 1
      respond(stream, context.options.errorResponse(408, HTTPStatus.reason(408)))
    }
    switch verdict.connection {
    case .goesOn: break
    case .isIdle: shutdown()
    case .isStalled:
      context.counters.timeouts += 1
      transport.abort()
    }
  }
}

extension HTTP2ServerConnection: HTTPResponseSink {
  public func send(_ response: HTTPResponse, stream: Int32) {
    guard responders.removeValue(forKey: stream) != nil else { return }
    respond(stream, response)
  }

  public func sendFailure(stream: Int32) {
    send(context.options.errorResponse(500, "the server gave no answer"), stream: stream)
  }
}

extension HTTP2ServerConnection: HTTPBodySink {
  public func send(_ response: HTTPResponse, body: HTTPBodyStream, stream: Int32) {
    guard responders.removeValue(forKey: stream) != nil, !isClosing else { return body.close() }
    var response = response
    response.fields.set("date", String(decoding: context.date.current, as: UTF8.self))
    guard session.begin(stream, response) else {
      body.close()
      return scheduleFlush()
    }
    bodies[stream] = body
    body.open(self, stream: stream)
    watch.progressed(now: context.loop.now)
    scheduleFlush()
  }

  func write(_ bytes: [UInt8], stream: Int32) {
    guard bodies[stream] != nil else { return }
    session.appendBody(stream, bytes, isEnd: false)
    scheduleFlush()
  }

  func finish(stream: Int32) {
    guard bodies.removeValue(forKey: stream) != nil else { return }
    session.appendBody(stream, [], isEnd: true)
    scheduleFlush()
  }

  func breakOff(stream: Int32) {
    guard bodies.removeValue(forKey: stream) != nil else { return }
    session.reset(stream, .internalError)
    scheduleFlush()
  }

  func pendingBytes(stream: Int32) -> Int { session.pendingBody(stream) + transport.pendingWriteBytes }
}

extension HTTP2ServerConnection: TurnEndAction {
  public func turnWillEnd() {
    flushIsDue = false
    flush()
  }
}

extension HTTP2ServerConnection: TransportDelegate {
  public func transportDidConnect(_ transport: any Transport) {
    isOpen = true
    watch.progressed(now: context.loop.now)
    startWatch()
    scheduleFlush()
  }

  public func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    guard !isClosing else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes, now: context.loop.now)
    } catch {
      context.counters.requestsRefused += 1
      return close()
    }
    deliverEvents()
    scheduleFlush()
  }

  public func transportDidReadEOF(_ transport: any Transport) {
    // A client that has shut its side cannot acknowledge or enlarge windows any more; what is under
    // way is of no use to it.
    close()
  }

  public func transportDidDrain(_ transport: any Transport) {
    watch.progressed(now: context.loop.now)
    scheduleFlush()
  }

  public func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    guard !isClosed else { return }
    isClosed = true
    isClosing = true
    watchTimer?.cancel()
    shutdownTimer?.cancel()
    let waiting = responders.values
    responders = [:]
    for entry in waiting { entry.responder?.cancel() }
    let streamed = bodies.values
    bodies = [:]
    for body in streamed { body.close() }
    let onClose = self.onClose
    self.onClose = nil
    onClose?()
  }
}
