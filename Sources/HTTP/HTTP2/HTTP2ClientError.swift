import EventLoop

/// Why a request brought no response.
public enum HTTP2ClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// No connection came about; the text is the last attempt's reason.
  case connectFailed(String)
  /// TLS did not come about.
  case tlsFailed(TLSFailure)
  /// The connection broke. `afterSend`: the request may have reached the peer and have been acted on.
  case connectionLost(afterSend: Bool)
  /// The peer refused the stream without looking at it, more often than it was put on another one.
  case refused
  /// The peer reset the stream.
  case reset(HTTP2ErrorCode)
  /// The request's own deadline passed.
  case timedOut
  /// So many requests wait already that this one was not taken.
  case queueFull
  /// The peer broke HTTP/2, or the request cannot be expressed in it.
  case protocolError(String)
  /// The response went over a limit and was cut off.
  case responseTooLarge
  /// Cancelled by the caller, or sent after `shutdown`.
  case cancelled

  /// Whether the same request may well succeed when sent again. See also `mayHaveBeenProcessed`.
  public var isRetryable: Bool {
    switch self {
    case .connectFailed, .connectionLost, .refused: true
    case .reset(let code):
      code == .refusedStream || code == .internalError || code == .enhanceYourCalm || code == .noError
        || code == .cancel
    case .tlsFailed, .timedOut, .queueFull, .protocolError, .responseTooLarge, .cancelled: false
    }
  }

  /// Whether the peer may have acted on the request, so that sending it again may double its effect.
  public var mayHaveBeenProcessed: Bool {
    switch self {
    case .connectFailed, .tlsFailed, .refused, .queueFull: false
    case .connectionLost(let afterSend): afterSend
    case .reset(let code): code != .refusedStream
    case .timedOut, .protocolError, .responseTooLarge, .cancelled: true
    }
  }

  public var description: String {
    switch self {
    case .connectFailed(let reason): reason
    case .tlsFailed(let failure): "TLS: \(failure)"
    case .connectionLost(let afterSend):
      afterSend
        ? "the connection broke before the response came" : "the connection broke before the request was sent"
    case .refused: "the peer refused the request"
    case .reset(let code): "the peer reset the request (\(code))"
    case .timedOut: "no response within the time allowed"
    case .queueFull: "too many requests are waiting"
    case .protocolError(let reason): reason
    case .responseTooLarge: "the response is larger than allowed"
    case .cancelled: "cancelled"
    }
  }
}
