import Bytes
import EventLoop

/// A connection of an HTTP/1.1 server (RFC 9112, section 9): requests one after the other, in order.
/// Loop thread only.
public final class HTTP1ServerConnection: HTTPServerConnection {
  /// Unserved input at which reading pauses.
  private static let inputHighWater = 65_536
  /// Unsent output at which no further request is taken up.
  private static let outputHighWater = 65_536

  /// The request being served.
  private struct Current {
    var framing: HTTP1ResponseWriter.Framing
    var isPersistent: Bool
  }

  public var onClose: (() -> Void)?
  private let transport: any Transport
  private let context: HTTPServerContext
  private var parser: HTTP1RequestParser
  private var input = ByteBuffer()
  private var current: Current?
  private weak var responder: HTTPResponder?
  /// The body that the current request is being answered with, when it is streamed.
  private var body: HTTPBodyStream?
  /// Counts the requests; identifies the current one.
  private var requestNumber: Int32 = 0
  private lazy var watch = HTTP1ServerWatch(context) { [weak self] in self?.timerFired() }
  private var bytesWritten = 0
  private var isProcessing = false
  private var isReadingPaused = false
  private var inputEnded = false
  /// The next answer is the last one.
  private var isDraining = false
  /// Without a request under way, the connection ends.
  private var isLeaving = false
  /// The last answer is on its way; nothing more is read.
  private var isClosing = false
  private var isClosed = false

  /// Serves `transport`, whose delegate it becomes. The owner keeps the connection until `onClose`.
  public init(transport: any Transport, context: HTTPServerContext, scheme: String = "http") {
    self.transport = transport
    self.context = context
    parser = HTTP1RequestParser(limits: context.options.limits, scheme: scheme)
    transport.delegate = self
  }

  public func shutdown() {
    isDraining = true
    body?.shutdown()
  }

  public func shutdownIdle() {
    isDraining = true
    isLeaving = true
    process()
  }

  public func abort() {
    transport.abort()
  }

  // MARK: Requests

  /// Serves what the input holds until there is a reason to wait.
  private func process() {
    // An answer given within the handler's call comes back here; the loop below goes on with it.
    guard !isProcessing, !isClosed else { return }
    isProcessing = true
    do throws(HTTP1Error) {
      while canTakeRequest, let request = try nextRequest() {
        serve(request)
      }
    } catch {
      refuse(error)
    }
    isProcessing = false
    closeIfDone()
    updateReading()
    updateDeadline()
  }

  private var canTakeRequest: Bool {
    current == nil && !isClosing && !isClosed && transport.pendingWriteBytes < Self.outputHighWater
  }

  private func nextRequest() throws(HTTP1Error) -> HTTP1Request? {
    switch try parser.next(&input) {
    case .request(let request):
      return request
    case .expectsContinue:
      write(HTTP1ResponseWriter.continueResponse)
      return nil
    case .needsMore:
      return nil
    }
  }

  private func serve(_ parsed: consuming HTTP1Request) {
    requestNumber &+= 1
    context.counters.requests += 1
    var framing = HTTP1ResponseWriter.Framing()
    framing.isHTTP10 = parsed.isHTTP10
    framing.isHead = parsed.request.method == "HEAD"
    current = Current(framing: framing, isPersistent: parsed.isPersistent)
    parsed.request.remoteAddress = transport.remoteAddress
    let responder = HTTPResponder(sink: self, stream: requestNumber)
    self.responder = responder
    context.handler.handle(parsed.request, responder)
  }

  private func refuse(_ error: HTTP1Error) {
    context.counters.requestsRefused += 1
    sendLast(context.options.errorResponse(error.status, error.reason))
  }

  private func reachedRequestLimit() -> Bool {
    guard let limit = context.options.maximumRequestsPerConnection else { return false }
    return requestNumber >= limit
  }

  // MARK: Output

  /// Answers what is no request, or none that could be read, and closes.
  private func sendLast(_ response: HTTPResponse) {
    var out: [UInt8] = []
    HTTP1ResponseWriter.append(response, .init(closes: true), date: context.date.current, to: &out)
    write(out)
    close()
  }

  private func write(_ bytes: [UInt8]) {
    bytesWritten += bytes.count
    transport.write(bytes)
  }

  private func close() {
    guard !isClosing else { return }
    isClosing = true
    input.removeAll()
    transport.close()
  }

  /// Closes when no request is left that the peer could expect an answer to.
  private func closeIfDone() {
    guard current == nil, !isClosing, !isClosed else { return }
    let isIdle = parser.isBetweenRequests && input.isEmpty
    // After the end of input, a request that is still incomplete will never be complete; a complete
    // one waits only for output to drain.
    if isLeaving && isIdle || inputEnded && transport.pendingWriteBytes < Self.outputHighWater {
      close()
    }
  }

  // MARK: Flow

  /// Reads no further while enough waits to be served: back-pressure to a peer that pipelines.
  private func updateReading() {
    guard !isClosing, !isClosed else { return }
    let shouldPause = input.count >= Self.inputHighWater
    guard shouldPause != isReadingPaused else { return }
    isReadingPaused = shouldPause
    if shouldPause {
      transport.pauseReading()
    } else {
      transport.resumeReading()
    }
  }

  private var waitingNow: HTTP1ServerWatch.Reason {
    if isClosing || transport.pendingWriteBytes > 0 { return .peerToRead }
    if current != nil { return .handler }
    if !parser.isReadingHead { return .body }
    return requestNumber != 0 && parser.isBetweenRequests && input.isEmpty ? .nextRequest : .head
  }

  private var bytesSent: Int { bytesWritten - transport.pendingWriteBytes }

  private func updateDeadline() {
    guard !isClosed else { return }
    watch.wait(for: waitingNow, request: requestNumber, sent: bytesSent)
  }

  private func timerFired() {
    switch watch.overdue(sent: bytesSent) {
    case .nextRequest:
      close()
    case .head where requestNumber == 0 && parser.isBetweenRequests && input.isEmpty:
      // Connected and never said a word.
      close()
    case .head, .body:
      context.counters.timeouts += 1
      let error = HTTP1Error.requestTimedOut
      sendLast(context.options.errorResponse(error.status, error.reason))
    case .peerToRead:
      context.counters.timeouts += 1
      return transport.abort()
    case .handler, nil:
      break
    }
    updateDeadline()
  }
}

// MARK: Answers

extension HTTP1ServerConnection: HTTPResponseSink {
  public func send(_ response: HTTPResponse, stream: Int32) {
    guard let current, stream == requestNumber, !isClosing, !isClosed else { return }
    self.current = nil
    var framing = current.framing
    framing.closes = !current.isPersistent || isDraining || reachedRequestLimit()
    var out: [UInt8] = []
    HTTP1ResponseWriter.append(response, framing, date: context.date.current, to: &out)
    write(out)
    if framing.closes {
      close()
    }
    process()
  }

  public func send(_ response: HTTPResponse, body: HTTPBodyStream, stream: Int32) {
    guard let current, stream == requestNumber, !isClosing, !isClosed else { return body.close() }
    guard !current.framing.isHead else {
      body.close()
      return send(response, stream: stream)
    }
    var framing = current.framing
    framing.isStreamed = true
    // Without chunks, the connection's end is the body's.
    framing.closes =
      !current.isPersistent || isDraining || reachedRequestLimit() || framing.isHTTP10
    self.current?.framing = framing
    self.body = body
    var out: [UInt8] = []
    HTTP1ResponseWriter.append(response, framing, date: context.date.current, to: &out)
    write(out)
    body.open(self, stream: stream)
    updateDeadline()
  }

  public func sendFailure(stream: Int32) {
    send(context.options.errorResponse(500, "the server gave no answer"), stream: stream)
  }
}

extension HTTP1ServerConnection: HTTPBodySink {
  func write(_ bytes: [UInt8], stream: Int32) {
    guard let current, stream == requestNumber, !isClosing, !isClosed else { return }
    write(current.framing.isHTTP10 ? bytes : HTTP1ResponseWriter.chunk(bytes))
    updateDeadline()
  }

  func finish(stream: Int32) {
    guard let current, stream == requestNumber, !isClosing, !isClosed else { return }
    body = nil
    self.current = nil
    if !current.framing.isHTTP10 { write(HTTP1ResponseWriter.lastChunk) }
    if current.framing.closes { close() }
    process()
  }

  func breakOff(stream: Int32) {
    guard current != nil, stream == requestNumber, !isClosed else { return }
    body = nil
    transport.abort()
  }

  func pendingBytes(stream: Int32) -> Int { transport.pendingWriteBytes }
}

// MARK: Transport

extension HTTP1ServerConnection: TransportDelegate {
  public func transportDidConnect(_ transport: any Transport) {
    updateDeadline()
  }

  public func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    guard !isClosing else { return }
    input.append(bytes)
    process()
  }

  public func transportDidReadEOF(_ transport: any Transport) {
    inputEnded = true
    process()
  }

  public func transportDidDrain(_ transport: any Transport) {
    process()
    body?.didDrain()
  }

  public func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    guard !isClosed else { return }
    isClosed = true
    watch.cancel()
    current = nil
    responder?.cancel()
    let body = self.body
    self.body = nil
    body?.close()
    let onClose = self.onClose
    self.onClose = nil
    onClose?()
  }
}
