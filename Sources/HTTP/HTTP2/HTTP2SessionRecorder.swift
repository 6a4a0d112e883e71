import CNghttp2

/// What happened on a session, in order.
enum HTTP2SessionEvent {
  /// A whole request (at the server) or response (at the client).
  case message(stream: Int32, HTTP2InboundMessage)
  /// A request's head came, and its sender waits before it sends the body.
  case expectsContinue(stream: Int32)
  /// A message went over a limit; the rest of it is dropped.
  case overflow(stream: Int32, HTTP2Stream.Overflow)
  /// The stream is gone. `isComplete`: a whole message had come in.
  case streamClosed(stream: Int32, code: HTTP2ErrorCode, isComplete: Bool, failure: HTTP2StreamFailure?)
  case goAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8])
  /// The peer's SETTINGS are in force.
  case settings
  case pingAcknowledged(UInt64)
}

/// Records what the library reports while it reads or writes.
///
/// The library must not be called from within its callbacks, so they only note here what happened; the
/// session acts on it once the library's function has returned.
final class HTTP2SessionRecorder {
  struct Limits {
    /// Bytes of one message's field section, 32 added for each field (RFC 9113, section 6.5.2).
    var headerListBytes: Int
    /// Fields of one message, without the pseudo-header fields.
    var fieldCount = Int.max
    /// Bytes of `:path`.
    var pathBytes = Int.max
    var bodyBytes: Int
  }

  let isServer: Bool
  let limits: Limits
  var streams: [Int32: HTTP2Stream] = [:]
  /// Streams to be reset, and with what, as soon as the library's function has returned.
  var pendingResets: [(stream: Int32, code: HTTP2ErrorCode)] = []
  /// Frames since the last look that cost work and ask for nothing.
  var nuisances = 0
  /// What the library itself said in a GOAWAY that it sent over an error.
  var connectionFailure: String?
  private var events: [HTTP2SessionEvent] = []
  private var nextEvent = 0

  init(isServer: Bool, limits: Limits) {
    self.isServer = isServer
    self.limits = limits
  }

  func popEvent() -> HTTP2SessionEvent? {
    guard nextEvent < events.count else {
      events.removeAll(keepingCapacity: true)
      nextEvent = 0
      return nil
    }
    defer { nextEvent += 1 }
    return events[nextEvent]
  }

  func record(_ event: HTTP2SessionEvent) {
    events.append(event)
  }

  // MARK: Reading

  func headersBegan(_ stream: Int32, isNewRequest: Bool) {
    if isServer, isNewRequest {
      streams[stream] = HTTP2Stream()
    } else if isServer {
      streams[stream]?.isReadingTrailers = true
    } else if let status = streams[stream]?.inbound.status {
      // A second block is the final response after an interim one, or trailers after the final one.
      if status >= 200 { streams[stream]?.isReadingTrailers = true }
    }
  }

  func headerCame(_ stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    guard let state = streams[stream], !state.discardsInbound else { return }
    state.headerListBytes += name.count + value.count + 32
    if name.first != UInt8(ascii: ":") { state.fieldCount += 1 }
    guard state.headerListBytes <= limits.headerListBytes,
      state.fieldCount <= limits.fieldCount
    else { return overflow(stream, in: state, .headers) }
    guard !state.isReadingTrailers else { return }
    let name = String(decoding: name, as: UTF8.self)
    let value = String(decoding: value, as: UTF8.self)
    switch name {
    case ":status": state.inbound.status = Int(value) ?? 0
    case ":method": state.inbound.method = value
    case ":path" where value.utf8.count > limits.pathBytes: overflow(stream, in: state, .path)
    case ":path": state.inbound.path = value
    case ":authority": state.inbound.authority = value
    case ":scheme", ":protocol": break
    default: state.inbound.fields.add(HTTPField(lowerCaseName: name, value: value))
    }
  }

  func invalidHeaderCame(_ stream: Int32) {
    // A client puts up with a gateway's odd field, which the library leaves out. A server must treat
    // the request as malformed (RFC 9113, section 8.2.1): what stands before it may read it otherwise.
    guard isServer, streams[stream]?.discardsInbound == false else { return }
    streams[stream]?.discardsInbound = true
    pendingResets.append((stream, .protocolError))
  }

  func headersEnded(_ stream: Int32, endsStream: Bool) {
    if !isServer, let status = streams[stream]?.inbound.status, status < 200 {
      streams[stream]?.inbound.discardInterimResponse()
    }
    if endsStream {
      inboundEnded(stream)
    } else if isServer, let state = streams[stream], !state.discardsInbound, !state.isReadingTrailers,
      state.inbound.fields.first("expect")?.lowercased() == "100-continue"
    {
      events.append(.expectsContinue(stream: stream))
    }
  }

  func dataCame(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let state = streams[stream], !state.discardsInbound else { return }
    guard bytes.count <= limits.bodyBytes - state.inbound.body.count else {
      overflow(stream, in: state, .body)
      return
    }
    state.inbound.body.append(contentsOf: bytes)
  }

  func inboundEnded(_ stream: Int32) {
    guard let state = streams[stream] else { return }
    state.isInboundComplete = true
    guard !state.discardsInbound else { return }
    var message = HTTP2InboundMessage()
    swap(&message, &state.inbound)
    events.append(.message(stream: stream, message))
    if !isServer, !state.isOutboundComplete {
      // Answered before the request was sent whole: the rest of it interests nobody.
      pendingResets.append((stream, .cancel))
    }
  }

  private func overflow(
    _ stream: Int32, in state: HTTP2Stream, _ kind: HTTP2Stream.Overflow
  ) {
    state.discardsInbound = true
    state.inbound = HTTP2InboundMessage()
    events.append(.overflow(stream: stream, kind))
    if !isServer {
      state.failure = .responseTooLarge
      pendingResets.append((stream, .cancel))
    }
  }

  // MARK: Writing

  /// Copies what comes next of a stream's body into `buffer`; nil when the stream is unknown.
  func readBody(_ stream: Int32, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool)? {
    guard let state = streams[stream] else { return nil }
    let offset = state.outboundOffset
    let total = state.outboundBody.count
    let count = min(buffer.count, total - offset)
    state.outboundBody.withUnsafeBytes { body in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: body[offset..<offset + count]))
    }
    state.outboundOffset = offset + count
    return (count, offset + count == total)
  }

  func frameSent(_ stream: Int32, isHeaders: Bool, endsStream: Bool) {
    guard let state = streams[stream] else { return }
    if isHeaders { state.headersSent = true }
    guard endsStream else { return }
    state.isOutboundComplete = true
    state.outboundBody = []
    if isServer, !state.isInboundComplete {
      // Answered before the request came whole; the rest is unwanted (RFC 9113, section 8.1).
      pendingResets.append((stream, .noError))
    }
  }

  func headersNotSent(_ stream: Int32) {
    if !isServer, streams[stream]?.failure == nil { streams[stream]?.failure = .refused }
  }

  func streamClosed(_ stream: Int32, code: HTTP2ErrorCode) {
    guard let closed = streams.removeValue(forKey: stream) else { return }
    events.append(
      .streamClosed(
        stream: stream, code: code, isComplete: closed.isInboundComplete && !closed.discardsInbound,
        failure: closed.failure))
  }
}
