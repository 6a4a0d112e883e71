import CNghttp2

/// What ends an HTTP/2 session, or keeps a request or a response from being put on it.
public enum HTTP2Error: Error, Sendable, Equatable, CustomStringConvertible {
  /// The library has no memory.
  case outOfMemory
  /// The peer broke the protocol, or one of its frames could not be handled; the text says how.
  case protocolError(String)
  /// The peer sent so many frames that cost us work and ask for nothing that it counts as an attack.
  case flooded
  /// No request can be put on this session: it is closing, or its stream IDs are used up.
  case closing
  /// This field cannot be sent; the text is its name.
  case invalidField(String)

  public var description: String {
    switch self {
    case .outOfMemory: "out of memory in the HTTP/2 session"
    case .protocolError(let text): "HTTP/2 protocol error: \(text)"
    case .flooded: "the peer floods the HTTP/2 connection with control frames"
    case .closing: "the HTTP/2 connection is closing and takes no more requests"
    case .invalidField(let name): "the field \(name) holds bytes that a field must not hold"
    }
  }

  /// The error that a negative return value of the library stands for. Only the library's own text is
  /// used: its error callback would quote field values, which may be secrets.
  init(libraryCode code: Int) {
    switch code {
    case Int(NGHTTP2_ERR_NOMEM.rawValue): self = .outOfMemory
    case Int(NGHTTP2_ERR_FLOODED.rawValue): self = .flooded
    case Int(NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue), Int(NGHTTP2_ERR_SESSION_CLOSING.rawValue),
      Int(NGHTTP2_ERR_START_STREAM_NOT_ALLOWED.rawValue):
      self = .closing
    default:
      self = .protocolError(nghttp2_strerror(Int32(clamping: code)).map { String(cString: $0) } ?? "unknown")
    }
  }
}

/// How a stream ended that brought no response.
public enum HTTP2StreamFailure: Sendable, Equatable {
  /// The peer did not process the request: REFUSED_STREAM, above a GOAWAY's last stream, or never sent.
  case refused
  /// The stream was reset, by the peer or by the library over malformed frames.
  case reset(HTTP2ErrorCode)
  /// The response went over the limit for its header list or its body and was cut off.
  case responseTooLarge
}
