/// Why a stream or a connection was ended, as sent in RST_STREAM and GOAWAY (RFC 9113, section 7).
public struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let noError = HTTP2ErrorCode(rawValue: 0x0)
  public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
  public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
  public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
  public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
  public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
  public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
  /// The stream was not processed at all; the request can be sent again (RFC 9113, section 8.7).
  public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
  public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
  public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
  public static let connectError = HTTP2ErrorCode(rawValue: 0xa)
  public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
  public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
  public static let http11Required = HTTP2ErrorCode(rawValue: 0xd)

  public var description: String {
    switch self {
    case .noError: "NO_ERROR"
    case .protocolError: "PROTOCOL_ERROR"
    case .internalError: "INTERNAL_ERROR"
    case .flowControlError: "FLOW_CONTROL_ERROR"
    case .settingsTimeout: "SETTINGS_TIMEOUT"
    case .streamClosed: "STREAM_CLOSED"
    case .frameSizeError: "FRAME_SIZE_ERROR"
    case .refusedStream: "REFUSED_STREAM"
    case .cancel: "CANCEL"
    case .compressionError: "COMPRESSION_ERROR"
    case .connectError: "CONNECT_ERROR"
    case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
    case .inadequateSecurity: "INADEQUATE_SECURITY"
    case .http11Required: "HTTP_1_1_REQUIRED"
    default: "error code \(rawValue)"
    }
  }
}
