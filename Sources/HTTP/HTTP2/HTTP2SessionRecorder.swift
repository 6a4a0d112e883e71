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
    /// Fields and bodies of all messages that have not come whole: a reference to the dynamic table costs the peer one
    /// byte, and us a copy of the field.
    var unfinishedBytes = Int.max
  }

  let isServer: Bool
  let limits: Limits
  var streams: [Int32: HTTP2Stream] = [:]
  /// The highest stream of the peer's.
  private(set) var lastRequest: Int32 = 0
  /// Our GOAWAY says that nothing above it is processed, so nothing is; also what comes before it is sent.
  var requestLimit = Int32.max
  /// Streams to be reset, and with what, as soon as the library's function has returned.
  var pendingResets: [(stream: Int32, code: HTTP2ErrorCode)] = []
  /// Frames since the last look that cost work and ask for nothing.
  var nuisances = 0
  /// What the library itself said in a GOAWAY that it sent over an error.
  var connectionFailure: String?
  private var unfinishedBytes = 0
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

  func headersBegan(_ id: Int32, isNewRequest: Bool) {
    if isServer, isNewRequest {
      guard id <= requestLimit else { return }
      streams[id] = HTTP2Stream()
      lastRequest = max(lastRequest, id)
    } else if let stream = streams[id] {
      // At a client, a second block is the final response after an interim one, or trailers after the
      // final one.
      if isServer || stream.inbound.status >= 200 { stream.isReadingTrailers = true }
    }
  }

  func headerCame(_ id: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    guard let stream = streams[id], !stream.discardsInbound else { return }
    let isPseudo = name.first == UInt8(ascii: ":")
    stream.headerListBytes += name.count + value.count + 32
    if !isPseudo { stream.fieldCount += 1 }
    guard stream.headerListBytes <= limits.headerListBytes, stream.fieldCount <= limits.fieldCount else {
      return overflow(id, stream, .headers)
    }
    guard !stream.isReadingTrailers, hold(name.count + value.count + 32, id, stream) else { return }
    let name = String(decoding: name, as: UTF8.self)
    let value = String(decoding: value, as: UTF8.self)
    guard isPseudo else {
      return stream.inbound.fields.add(HTTPField(lowerCaseName: name, value: value))
    }
    switch name {
    case ":status": stream.inbound.status = Int(value) ?? 0
    case ":method": stream.inbound.method = value
    case ":path" where value.utf8.count > limits.pathBytes: overflow(id, stream, .path)
    case ":path": stream.inbound.path = value
    case ":authority": stream.inbound.authority = value
    default: break
    }
  }

  func invalidHeaderCame(_ id: Int32) {
    // A client puts up with a gateway's odd field, which the library leaves out. A server must treat
    // the request as malformed (RFC 9113, section 8.2.1): what stands before it may read it otherwise.
    guard isServer, let stream = streams[id], !stream.discardsInbound else { return }
    discard(stream)
    pendingResets.append((id, .protocolError))
  }

  func headersEnded(_ id: Int32, endsStream: Bool) {
    guard let stream = streams[id] else { return }
    if !isServer, stream.inbound.status < 200 { stream.inbound.discardInterimResponse() }
    if endsStream {
      inboundEnded(id)
    } else if isServer, !stream.discardsInbound, !stream.isReadingTrailers,
      stream.inbound.fields.first("expect")?.lowercased() == "100-continue"
    {
      events.append(.expectsContinue(stream: id))
    }
  }

  func dataCame(_ id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let stream = streams[id], !stream.discardsInbound else { return }
    guard bytes.count <= limits.bodyBytes - stream.inbound.body.count else {
      return overflow(id, stream, .body)
    }
    if hold(bytes.count, id, stream) { stream.inbound.body.append(contentsOf: bytes) }
  }

  func inboundEnded(_ id: Int32) {
    guard let stream = streams[id] else { return }
    stream.isInboundComplete = true
    guard !stream.discardsInbound else { return }
    events.append(.message(stream: id, stream.inbound))
    release(stream)
    if !isServer, !stream.isOutboundComplete {
      // Answered before the request was sent whole: the rest of it interests nobody.
      pendingResets.append((id, .cancel))
    }
  }

  private func overflow(_ id: Int32, _ stream: HTTP2Stream, _ kind: HTTP2Stream.Overflow) {
    discard(stream)
    events.append(.overflow(stream: id, kind))
    if !isServer {
      stream.failure = .responseTooLarge
      pendingResets.append((id, .cancel))
    }
  }

  /// Counts bytes that are to be kept for an unfinished message. False when there are too many of all streams: the peer
  /// may make this request again (RFC 9113, section 8.7), and one that means well never gets here.
  private func hold(_ count: Int, _ id: Int32, _ stream: HTTP2Stream) -> Bool {
    guard count <= limits.unfinishedBytes - unfinishedBytes else {
      discard(stream)
      pendingResets.append((id, .refusedStream))
      nuisances += 1
      return false
    }
    stream.heldBytes += count
    unfinishedBytes += count
    return true
  }

  private func release(_ stream: HTTP2Stream) {
    stream.inbound = HTTP2InboundMessage()
    unfinishedBytes -= stream.heldBytes
    stream.heldBytes = 0
  }

  private func discard(_ stream: HTTP2Stream) {
    stream.discardsInbound = true
    release(stream)
  }

  // MARK: Writing

  enum BodyRead {
    case bytes(count: Int, isEnd: Bool)
    /// More will come; the library is to ask again when told to.
    case later
    case unknownStream
  }

  /// Copies what comes next of a stream's body into `buffer`.
  func readBody(_ id: Int32, into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    guard let stream = streams[id] else { return .unknownStream }
    let offset = stream.outboundOffset
    let total = stream.outboundBody.count
    let count = min(buffer.count, total - offset)
    stream.outboundBody.withUnsafeBytes { body in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: body[offset..<offset + count]))
    }
    stream.outboundOffset = offset + count
    guard stream.outboundIsOpen else { return .bytes(count: count, isEnd: offset + count == total) }
    stream.outboundIsDeferred = count == 0
    return count == 0 ? .later : .bytes(count: count, isEnd: false)
  }

  func frameSent(_ id: Int32, isHeaders: Bool, endsStream: Bool) {
    guard let stream = streams[id] else { return }
    if isHeaders { stream.headersSent = true }
    guard endsStream else { return }
    stream.isOutboundComplete = true
    stream.outboundBody = []
    if isServer, !stream.isInboundComplete {
      // Answered before the request came whole; the rest is unwanted (RFC 9113, section 8.1).
      pendingResets.append((id, .noError))
    }
  }

  func headersNotSent(_ id: Int32) {
    guard !isServer, let stream = streams[id], stream.failure == nil else { return }
    stream.failure = .refused
  }

  func streamClosed(_ id: Int32, code: HTTP2ErrorCode) {
    guard let closed = streams.removeValue(forKey: id) else { return }
    unfinishedBytes -= closed.heldBytes
    events.append(
      .streamClosed(
        stream: id, code: code, isComplete: closed.isInboundComplete && !closed.discardsInbound,
        failure: closed.failure))
  }
}
