/// Why a request was refused. The connection is closed after the answer: where the next request
/// would begin is not known for certain any more.
public enum HTTP1Error: Error, Sendable, Hashable {
  case malformedRequestLine
  case requestLineTooLong
  case invalidTarget
  case methodNotImplemented
  case versionNotSupported
  case bareLineFeed
  case obsoleteLineFolding
  case malformedField
  case fieldsTooLarge
  case invalidHost
  case invalidContentLength
  case conflictingFraming
  case unsupportedTransferCoding
  case malformedChunk
  case bodyTooLarge
  case unsupportedExpectation
  case requestTimedOut

  /// The status code to answer with.
  public var status: Int {
    switch self {
    case .malformedRequestLine, .invalidTarget, .bareLineFeed, .obsoleteLineFolding, .malformedField,
      .invalidHost, .invalidContentLength, .conflictingFraming, .malformedChunk:
      400
    case .requestTimedOut: 408
    case .bodyTooLarge: 413
    case .requestLineTooLong: 414
    case .unsupportedExpectation: 417
    case .fieldsTooLarge: 431
    case .methodNotImplemented, .unsupportedTransferCoding: 501
    case .versionNotSupported: 505
    }
  }

  /// What was wrong, fit to be shown to the peer.
  public var reason: String {
    switch self {
    case .malformedRequestLine: "the request line is not METHOD SP TARGET SP HTTP/1.1"
    case .requestLineTooLong: "the request line is too long"
    case .invalidTarget: "the request target is not a path or an http(s) URI"
    case .methodNotImplemented: "CONNECT is not served here"
    case .versionNotSupported: "only HTTP/1.0 and HTTP/1.1 are spoken on this connection"
    case .bareLineFeed: "a line ended with LF instead of CR LF"
    case .obsoleteLineFolding: "a field line was folded; send it as one line"
    case .malformedField: "a field line is not NAME: VALUE or holds a control character"
    case .fieldsTooLarge: "the header fields are too many or too large"
    case .invalidHost: "exactly one valid Host field is needed"
    case .invalidContentLength: "Content-Length must occur once and hold digits only"
    case .conflictingFraming: "Transfer-Encoding must be single, HTTP/1.1, and without Content-Length"
    case .unsupportedTransferCoding: "chunked is the only transfer coding understood"
    case .malformedChunk: "the chunked body is malformed"
    case .bodyTooLarge: "the body is too large"
    case .unsupportedExpectation: "100-continue is the only expectation understood"
    case .requestTimedOut: "the request did not arrive in time"
    }
  }
}
