import CNghttp2
import EventLoop

/// What happened on a server session.
public enum HTTP2ServerEvent: Sendable {
  /// A whole request, to be answered with `respond`.
  case request(stream: Int32, HTTPRequest)
  /// A request that is not to be served, and is to be answered with this status: over a limit (413, 414,
  /// 431), or not one that makes sense (400, 501).
  case requestRefused(stream: Int32, status: Int)
  /// The stream is gone: answered, or reset by the peer with `code`.
  case streamClosed(stream: Int32, code: HTTP2ErrorCode)
  /// The peer makes no more requests on this connection.
  case goAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8])
  case pingAcknowledged(UInt64)
}

/// The server's end of one HTTP/2 connection (RFC 9113), without I/O: bytes in, bytes and events out.
///
/// Call `receive` with what arrived, then `nextEvent` until nil, then send what `appendOutput` gives.
/// A peer that sends more worthless frames than a
/// budget allows loses the connection.
public final class HTTP2ServerSession {
  public struct Configuration: Sendable {
    /// Streams that the peer may have open at once.
    public var maxConcurrentStreams = 256
    /// Bytes that a request's field section may have, 32 added for each field.
    public var maxHeaderListBytes = 28_672
    /// Fields that a request may have.
    public var maxFields = 100
    /// Bytes that `:path` may have.
    public var maxPathBytes = 8192
    /// Bytes that a request's body may have.
    public var maxBodyBytes = 1_048_576
    /// Bytes that the fields and bodies of all requests may have that have not come whole; two bodies always may.
    public var maxUnfinishedBytes = 2_097_152
    /// Bytes that all requests together may have on the way.
    public var connectionWindow = 1_048_576
    /// Bytes that one request may have on the way.
    public var streamWindow = 65_535
    /// `https` or `http`: what the connection is, whatever the peer says.
    public var scheme = "https"
    /// Response fields kept out of the HPACK dynamic table because their values do not repeat.
    public var neverIndexedFields: Set<String> = [
      "apns-id", "apns-unique-id", "set-cookie", "content-length",
    ]
    /// Worthless frames (resets, PING, SETTINGS, PRIORITY, empty DATA) that are let pass at once, and
    /// how many more in each second.
    public var floodBudget = 1000
    public var floodBudgetPerSecond = 100

    public init() {}

    /// The limits that HTTP/1.1 and HTTP/2 share.
    public init(_ limits: HTTPLimits) {
      maxFields = limits.fieldCount
      maxPathBytes = limits.requestLine
      maxBodyBytes = limits.body
      // The pseudo-header fields have their place beside the others, and each counts 32 bytes more.
      maxHeaderListBytes = limits.requestLine + limits.fieldBytes + (limits.fieldCount + 4) * 32
    }
  }

  private let core: HTTP2SessionCore
  private let scheme: String
  private var guardian: HTTP2FloodGuard
  /// Streams whose request was HEAD: the response goes without its body.
  private var headStreams: Set<Int32> = []
  private var isFlooded = false

  /// Fails only for want of memory.
  public init(_ configuration: Configuration = Configuration()) throws(HTTP2Error) {
    core = try HTTP2SessionCore(
      isServer: true,
      limits: .init(
        headerListBytes: configuration.maxHeaderListBytes, fieldCount: configuration.maxFields,
        pathBytes: configuration.maxPathBytes, bodyBytes: configuration.maxBodyBytes,
        unfinishedBytes: max(configuration.maxUnfinishedBytes, 2 * configuration.maxBodyBytes)),
      settings: [
        http2Setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, configuration.maxConcurrentStreams),
        http2Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, configuration.streamWindow),
        http2Setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, configuration.maxHeaderListBytes),
        // Spares the library the dependency tree, which peers can make costly (RFC 9218, section 2.1).
        http2Setting(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
      ],
      connectionWindow: configuration.connectionWindow, neverIndexed: configuration.neverIndexedFields)
    scheme = configuration.scheme
    guardian = HTTP2FloodGuard(
      capacity: configuration.floodBudget, perSecond: configuration.floodBudgetPerSecond)
  }

  // MARK: Bytes

  /// Takes bytes from the peer. After an error, send what output there is and close.
  public func receive(_ bytes: Span<UInt8>, now: MonotonicTime) throws(HTTP2Error) {
    guard !isFlooded else { throw .flooded }
    try core.receive(bytes)
    let nuisances = core.recorder.nuisances
    core.recorder.nuisances = 0
    guard guardian.charge(nuisances, now: now) else {
      isFlooded = true
      core.terminate(.enhanceYourCalm)
      throw .flooded
    }
  }

  /// Appends what is to be sent to `output`, and stops once it holds `limit` bytes or more.
  public func appendOutput(to output: inout [UInt8], limit: Int = 65_536) throws(HTTP2Error) {
    try core.appendOutput(to: &output, limit: limit)
  }

  /// What is to be sent, about `limit` bytes of it; empty when there is nothing.
  public func nextOutput(limit: Int = 65_536) throws(HTTP2Error) -> [UInt8] {
    var output: [UInt8] = []
    try core.appendOutput(to: &output, limit: limit)
    return output
  }

  /// True once nothing more is to be read or sent: close the connection.
  public var isFinished: Bool { !core.wantsRead && !core.wantsWrite }

  /// Why the session ended itself, when the peer broke the protocol.
  public var failure: HTTP2Error? {
    isFlooded ? .flooded : core.recorder.connectionFailure.map { .protocolError($0) }
  }

  // MARK: Events

  /// The next thing that happened; nil when there is none left.
  public func nextEvent() -> HTTP2ServerEvent? {
    while let event = core.recorder.popEvent() {
      switch event {
      case .message(let stream, let message):
        if message.method == "HEAD" { headStreams.insert(stream) }
        if let status = refusal(message) { return .requestRefused(stream: stream, status: status) }
        return .request(stream: stream, request(message))
      case .expectsContinue(let stream):
        // Fails for want of memory alone; the sender then goes on after a while.
        try? core.submitInterimResponse(stream, status: 100)
      case .overflow(let stream, let kind):
        let status =
          switch kind {
          case .path: 414
          case .headers: 431
          case .body: 413
          }
        return .requestRefused(stream: stream, status: status)
      case .streamClosed(let stream, let code, _, _):
        headStreams.remove(stream)
        return .streamClosed(stream: stream, code: code)
      case .goAway(let lastStream, let code, let debugData):
        return .goAway(lastStream: lastStream, code: code, debugData: debugData)
      case .pingAcknowledged(let payload):
        return .pingAcknowledged(payload)
      case .settings:
        continue
      }
    }
    return nil
  }

  /// What the library lets pass and we do not: tunnels, and an authority that is none or that `host`
  /// contradicts (RFC 9113, section 8.3.1).
  private func refusal(_ message: HTTP2InboundMessage) -> Int? {
    guard message.method != "CONNECT" else { return 501 }
    let hosts = message.fields.all("host")
    let authority = message.authority ?? hosts.first ?? ""
    let isValid = HTTPAuthority.isValid(Array(authority.utf8).span)
    return isValid && hosts.allSatisfy { $0 == authority } ? nil : 400
  }

  private func request(_ message: HTTP2InboundMessage) -> HTTPRequest {
    var fields = message.fields
    // A browser may send one cookie header in crumbs (RFC 9113, section 8.2.3).
    let crumbs = fields.all("cookie")
    if crumbs.count > 1 { fields.set("cookie", crumbs.joined(separator: "; ")) }
    var path = message.path
    var query: String?
    if let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(path[path.utf8.index(after: mark)...])
      path = String(path[..<mark])
    }
    return HTTPRequest(
      method: message.method, path: path, query: query,
      authority: message.authority ?? fields.first("host"), scheme: scheme, fields: fields,
      body: message.body)
  }

  // MARK: Responses

  /// Answers the request on `stream`; without effect when the stream is gone. A response that cannot
  /// be sent as it is goes out as 500.
  public func respond(_ stream: Int32, _ response: HTTPResponse) {
    do throws(HTTP2Error) {
      try submit(stream, (200...599).contains(response.status) ? response : .empty(500))
    } catch {
      do throws(HTTP2Error) {
        try submit(stream, .empty(500))
      } catch {
        core.reset(stream, .internalError)
      }
    }
  }

  private func submit(_ stream: Int32, _ response: HTTPResponse) throws(HTTP2Error) {
    let hasNoBody = HTTPStatus.hasNoBody(response.status)
    let body = hasNoBody || headStreams.contains(stream) ? [] : response.body
    try core.submitResponse(stream, body: body) { block throws(HTTP2Error) in
      block.add(":status", String(response.status))
      if !hasNoBody { block.add("content-length", String(response.body.count)) }
      try block.add(response.fields)
    }
  }

  /// Begins an answer whose body follows by `appendBody`; false when it cannot be sent and the stream is over.
  func begin(_ stream: Int32, _ response: HTTPResponse) -> Bool {
    guard core.recorder.streams[stream] != nil, !headStreams.contains(stream),
      !HTTPStatus.hasNoBody(response.status)
    else {
      respond(stream, response)
      return false
    }
    do throws(HTTP2Error) {
      try core.submitResponse(stream, body: [], isStreamed: true) { block throws(HTTP2Error) in
        block.add(":status", String(response.status))
        try block.add(response.fields)
      }
      return true
    } catch {
      respond(stream, .empty(500))
      return false
    }
  }

  /// Adds to the body of an answer that was begun with `begin`.
  func appendBody(_ stream: Int32, _ bytes: [UInt8], isEnd: Bool) {
    core.appendBody(stream, bytes, isEnd: isEnd)
  }

  /// Bytes of a stream's body that are not in the output yet.
  func pendingBody(_ stream: Int32) -> Int { core.pendingBody(stream) }

  /// Sends an interim response (RFC 9110, section 15.2), such as 103.
  public func sendInterim(_ stream: Int32, status: Int) throws(HTTP2Error) {
    try core.submitInterimResponse(stream, status: status)
  }

  /// Ends a stream with RST_STREAM.
  public func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
    guard core.recorder.streams[stream] != nil else { return }
    core.reset(stream, code)
  }

  /// Streams that are open.
  public var openStreams: Int { core.recorder.streams.count }

  /// Open streams whose request has not come whole.
  var incompleteStreams: [Int32] {
    core.recorder.streams.filter { !$0.value.isInboundComplete && !$0.value.discardsInbound }.map(\.key)
  }

  // MARK: Control

  /// Changes how many streams the peer may have open at once.
  public func setMaxConcurrentStreams(_ count: Int) throws(HTTP2Error) {
    try core.submitSettings([http2Setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)])
  }

  public func ping(_ payload: UInt64) throws(HTTP2Error) {
    try core.ping(payload)
  }

  /// The first step of a clean end (RFC 9113, section 6.8): tells the peer to make no more requests,
  /// without refusing those already on the way. `goAway` follows a round trip later.
  public func announceShutdown() throws(HTTP2Error) {
    try core.announceShutdown()
  }

  /// Refuses all streams above `lastStream` (nil: above the last one seen); those below go on, and the
  /// session is finished when they are done.
  public func goAway(
    lastStream: Int32? = nil, _ code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
  ) throws(HTTP2Error) {
    try core.goAway(
      lastStream: lastStream ?? core.lastProcessedStream, code, debugData: debugData)
  }

  /// Ends the session at once: GOAWAY, then finished.
  public func terminate(_ code: HTTP2ErrorCode) {
    core.terminate(code)
  }
}
