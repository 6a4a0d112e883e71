import Bytes
import CNghttp2

/// What happened on a client session.
public enum HTTP2ClientEvent: Sendable {
  /// The whole response to the request on `stream`.
  case response(stream: Int32, HTTPResponse)
  /// The stream is gone and its place free; comes once for each request. `failure` is nil when a
  /// response came before.
  case streamClosed(stream: Int32, failure: HTTP2StreamFailure?)
  /// The peer takes no more requests. Streams above `lastStream` follow as closed and refused.
  case goAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8])
  /// The peer's settings are in force: so many streams may be open at once.
  case settings(maxConcurrentStreams: Int)
  case pingAcknowledged(UInt64)
}

/// The client's end of one HTTP/2 connection (RFC 9113), without I/O: bytes in, bytes and events out.
///
/// Call `receive` with what arrived, then `nextEvent` until nil, then send what `appendOutput` gives;
/// both of the others may lead to output and events as well. Not for several threads.
public final class HTTP2ClientSession {
  public struct Configuration: Sendable {
    /// Bytes that a response's field section may have, 32 added for each field.
    public var maxHeaderListBytes = 16_384
    /// Bytes that a response's body may have.
    public var maxBodyBytes = 1_048_576
    /// Bytes that all responses together may have on the way.
    public var connectionWindow = 8_388_608
    /// Bytes that one response may have on the way.
    public var streamWindow = 262_144
    /// Request fields kept out of the HPACK dynamic table because their values do not repeat (or are
    /// secret): each such value would push out ones that do, like the topic. `:path`, which holds the
    /// device token at APNs, is always kept out. So is `authorization`, although it repeats for most of
    /// an hour and Apple advises to index it: the library never indexes that field.
    public var neverIndexedFields: Set<String> = ["apns-id", "apns-expiration", "apns-collapse-id"]

    public init() {}
  }

  private let core: HTTP2SessionCore
  private var goAwayReceived = false

  /// Fails only for want of memory.
  public init(_ configuration: Configuration = Configuration()) throws(HTTP2Error) {
    core = try HTTP2SessionCore(
      isServer: false,
      limits: .init(
        headerListBytes: configuration.maxHeaderListBytes, bodyBytes: configuration.maxBodyBytes),
      settings: [
        http2Setting(NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
        http2Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, configuration.streamWindow),
        http2Setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, configuration.maxHeaderListBytes),
      ],
      connectionWindow: configuration.connectionWindow,
      neverIndexed: configuration.neverIndexedFields.union([":path", "authorization", "cookie"]))
  }

  // MARK: Bytes

  /// Takes bytes from the peer. After an error, send what output there is and close.
  public func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {
    try core.receive(bytes)
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
  public var failure: HTTP2Error? { core.recorder.connectionFailure.map { .protocolError($0) } }

  // MARK: Events

  /// The next thing that happened; nil when there is none left.
  public func nextEvent() -> HTTP2ClientEvent? {
    while let event = core.recorder.popEvent() {
      switch event {
      case .message(let stream, let message):
        return .response(
          stream: stream,
          HTTPResponse(status: message.status, fields: message.fields, body: message.body))
      case .overflow, .expectsContinue:
        continue  // The stream has been reset, and says why when it closes.
      case .streamClosed(let stream, let code, let isComplete, let failure):
        return .streamClosed(stream: stream, failure: isComplete ? nil : failure ?? Self.failure(code))
      case .goAway(let lastStream, let code, let debugData):
        goAwayReceived = true
        return .goAway(lastStream: lastStream, code: code, debugData: debugData)
      case .settings:
        return .settings(maxConcurrentStreams: core.peerMaxConcurrentStreams)
      case .pingAcknowledged(let payload):
        return .pingAcknowledged(payload)
      }
    }
    return nil
  }

  private static func failure(_ code: HTTP2ErrorCode) -> HTTP2StreamFailure {
    code == .refusedStream ? .refused : .reset(code)
  }

  // MARK: Requests

  /// Puts a request on a new stream and returns its ID. It waits in the session while the peer's limit
  /// on concurrent streams is reached. Throws `closing` after GOAWAY or when IDs are used up.
  public func submit(_ request: HTTPRequest) throws(HTTP2Error) -> Int32 {
    guard core.canSubmitRequest, !goAwayReceived else { throw .closing }
    return try core.submitRequest(body: request.body) { block throws(HTTP2Error) in
      var path = request.path
      if let query = request.query { path += "?" + query }
      try Self.checkVisible(request.method, ":method")
      try Self.checkVisible(path, ":path")
      try Self.checkVisible(request.authority ?? "", ":authority")
      block.add(":method", request.method)
      block.add(":scheme", request.scheme)
      if let authority = request.authority { block.add(":authority", authority) }
      block.add(":path", path)
      if !request.body.isEmpty { block.add("content-length", String(request.body.count)) }
      try block.add(request.fields)
    }
  }

  private static func checkVisible(_ value: String, _ name: String) throws(HTTP2Error) {
    guard value.allUTF8Bytes({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidField(name) }
  }

  /// Gives up on a stream: RST_STREAM with CANCEL. Its `streamClosed` follows.
  public func cancel(_ stream: Int32) {
    guard core.recorder.streams[stream] != nil else { return }
    core.reset(stream, .cancel)
  }

  /// Whether the request on `stream`, still open, was handed to the output, even in part.
  public func wasSent(_ stream: Int32) -> Bool {
    core.recorder.streams[stream]?.headersSent ?? false
  }

  /// Streams submitted and not yet closed.
  public var openStreams: Int { core.recorder.streams.count }

  // MARK: Control

  /// Asks the peer for a sign of life; the acknowledgement carries the same payload.
  public func ping(_ payload: UInt64) throws(HTTP2Error) {
    try core.ping(payload)
  }

  /// Says goodbye (GOAWAY, NO_ERROR); the session is finished once that was sent. For when all streams
  /// are done.
  public func shutdown() {
    core.terminate(.noError)
  }
}
