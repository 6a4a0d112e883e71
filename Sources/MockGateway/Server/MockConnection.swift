import EventLoop
import HTTP

/// One HTTP/2 connection of a client, and what a script does to it. Loop thread only.
final class MockConnection {
  /// Above this many bytes in the transport, the session's output waits.
  private static let outputHighWater = 262_144

  var onClose: (() -> Void)?
  private let number: Int
  private let transport: any Transport
  private let context: ServerContext
  private let session: HTTP2ServerSession
  /// Streams whose answer comes later or never.
  private var held: [Int32: Timer?] = [:]
  /// Streams above it were refused by a GOAWAY.
  private var lastStream = Int32.max
  /// How many streams the client was last told to have open at most.
  private var streamLimit: Int
  /// Refuses what else came together with a request that was refused.
  private var refusesRest = false
  private var isOpen = false
  private var isSilent = false
  private var isClosing = false
  private var flushIsDue = false

  init(number: Int, transport: any Transport, context: ServerContext) throws(HTTP2Error) {
    self.number = number
    self.transport = transport
    self.context = context
    streamLimit = context.limitsStreams ? 1 : context.maxConcurrentStreams
    var configuration = HTTP2ServerSession.Configuration()
    configuration.maxConcurrentStreams = streamLimit
    configuration.maxBodyBytes = 65_536
    configuration.connectionWindow = 16_777_216
    // Clients under test reset streams and ping as they like.
    configuration.floodBudget = 1_000_000
    session = try HTTP2ServerSession(configuration)
    transport.delegate = self
  }

  // MARK: Requests

  private func deliverEvents() {
    while !isClosing, let event = session.nextEvent() {
      switch event {
      case .request(let stream, let request): serve(stream, request)
      case .requestRefused(let stream, let status):
        let verdict = context.handler.overflow(status: status)
        context.log.refused(context.service, verdict.refusal)
        session.respond(stream, verdict.response)
      case .streamClosed(let stream, _):
        if let timer = held.removeValue(forKey: stream) { timer?.cancel() }
      case .goAway, .pingAcknowledged: break
      }
    }
    refusesRest = false
  }

  private func serve(_ stream: Int32, _ request: HTTPRequest) {
    guard stream <= lastStream else { return }
    guard !refusesRest else { return session.reset(stream, .refusedStream) }
    let verdict = context.handler.evaluate(request)
    let reaction = context.reactions.take(context.service, deviceToken: verdict.deviceToken) ?? .serve
    note(verdict, reaction, stream, request.fields)
    guard let delay = reaction.delay else { return perform(reaction, verdict, stream) }
    held[stream] = .some(
      context.loop.schedule(after: delay) { [weak self] in
        guard let self, self.held.removeValue(forKey: stream) != nil else { return }
        self.perform(reaction, verdict, stream)
        self.scheduleFlush()
      })
  }

  private func note(
    _ verdict: Verdict, _ reaction: MockGateway.Reaction, _ stream: Int32, _ fields: HTTPFields
  ) {
    guard verdict.refusal == nil, reaction.isAccepting else {
      return context.log.refused(context.service, verdict.refusal)
    }
    guard let payload = verdict.payload, let token = verdict.deviceToken else {
      return context.log.accepted(context.service)
    }
    context.log.delivered(
      context.service,
      MockGateway.Delivery(
        service: context.service, deviceToken: token, fields: fields, payload: payload,
        connection: number, stream: stream, time: context.loop.now))
  }

  private func perform(_ reaction: MockGateway.Reaction, _ verdict: Verdict, _ stream: Int32) {
    switch reaction.step {
    case .serve: answer(verdict.response, stream)
    case .answer(let response): answer(Self.scripted(response, verdict), stream)
    case .silence: held[stream] = .some(nil)
    case .reset(let code): session.reset(stream, code)
    case .goAway(let code, let debugData):
      if reaction.isAccepting { answer(verdict.response, stream) }
      goAway(lastStream: reaction.isAccepting ? stream : max(0, stream - 2), code, debugData)
    case .disconnect: disconnect()
    case .halfClose:
      isClosing = true
      transport.close()
    // A frame of the largest length, of a type and flags of which nothing is known, and then nothing.
    case .garbage: transport.write([UInt8](repeating: 0xFF, count: 64))
    }
  }

  /// A script does not hide a fault of the client's, and the fields of the real service stay.
  private static func scripted(_ response: HTTPResponse, _ verdict: Verdict) -> HTTPResponse {
    guard verdict.refusal == nil else { return verdict.response }
    var answer = response
    answer.fields = verdict.response.fields
    for field in response.fields { answer.fields.set(field.name, field.value) }
    return answer
  }

  private func answer(_ response: HTTPResponse, _ stream: Int32) {
    session.respond(stream, response)
    if context.service.isAPNs { followHabit(accepted: response.status == 200) }
  }

  /// What APNs does to a connection with token authentication: one stream until a push was accepted,
  /// and again once one was refused, with the streams under way refused too.
  private func followHabit(accepted: Bool) {
    let limit = !context.limitsStreams || accepted ? context.maxConcurrentStreams : 1
    guard limit != streamLimit else { return }
    changeStreamLimit(limit)
    guard !accepted, context.limitsStreams else { return }
    refusesRest = true
    for (stream, timer) in held {
      timer?.cancel()
      session.reset(stream, .refusedStream)
    }
    held = [:]
  }

  // MARK: Control

  /// Tells the client how many streams it may have open.
  func changeStreamLimit(_ limit: Int) {
    streamLimit = limit
    if (try? session.setMaxConcurrentStreams(limit)) == nil { disconnect() }
    scheduleFlush()
  }

  /// Refuses all streams above `lastStream`; nil refuses none that came.
  func goAway(lastStream: Int32?, _ code: HTTP2ErrorCode, _ debugData: [UInt8]) {
    if let lastStream { self.lastStream = min(self.lastStream, lastStream) }
    if (try? session.goAway(lastStream: lastStream, code, debugData: debugData)) == nil { disconnect() }
    scheduleFlush()
  }

  func disconnect() {
    isClosing = true
    transport.abort()
  }

  /// Neither takes in nor sends anything any more, as if the network were cut.
  func fallSilent() {
    isSilent = true
  }

  // MARK: Output

  private func scheduleFlush() {
    guard isOpen, !flushIsDue, !isClosing, !isSilent else { return }
    flushIsDue = true
    context.loop.atTurnEnd(self)
  }

  private func flush() {
    guard isOpen, !isClosing, !isSilent else { return }
    do throws(HTTP2Error) {
      while transport.pendingWriteBytes < Self.outputHighWater {
        let output = try session.nextOutput()
        if output.isEmpty { break }
        transport.write(output)
      }
    } catch {
      return close()
    }
    deliverEvents()
    if session.isFinished { close() }
  }

  private func close() {
    guard !isClosing else { return }
    if let last = try? session.nextOutput(), !last.isEmpty { transport.write(last) }
    isClosing = true
    transport.close()
  }
}

extension MockConnection: TurnEndAction {
  func turnWillEnd() {
    flushIsDue = false
    flush()
  }
}

extension MockConnection: TransportDelegate {
  func transportDidConnect(_ transport: any Transport) {
    isOpen = true
    context.log.count(context.service) { counters in
      counters.connectionsOpened += 1
      counters.connectionsOpen += 1
    }
    scheduleFlush()
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    guard !isClosing, !isSilent else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes, now: context.loop.now)
    } catch {
      return close()
    }
    deliverEvents()
    scheduleFlush()
  }

  func transportDidReadEOF(_ transport: any Transport) {
    if !isSilent { close() }
  }

  func transportDidDrain(_ transport: any Transport) {
    scheduleFlush()
  }

  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    isClosing = true
    if isOpen { context.log.count(context.service) { $0.connectionsOpen -= 1 } }
    isOpen = false
    for timer in held.values { timer?.cancel() }
    held = [:]
    let onClose = self.onClose
    self.onClose = nil
    onClose?()
  }
}
