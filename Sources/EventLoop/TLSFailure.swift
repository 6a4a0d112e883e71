/// Why TLS did not come about or broke, told apart by codes, never by a library's words.
public enum TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// We do not accept the peer's certificate.
  case certificate(CertificateFault)
  /// The peer ended the connection with an alert; often it does not accept our certificate.
  case alert(TLSAlert)
  /// The peer closed the connection during the handshake.
  case truncated
  /// Anything else, in the library's words.
  case library(String)

  public var description: String {
    switch self {
    case .certificate(let fault): "the peer's certificate was not accepted: \(fault)"
    case .alert(let alert): "the peer ended TLS with the alert \(alert)"
    case .truncated: "the peer closed the connection during the handshake"
    case .library(let reason): reason
    }
  }
}

/// What is wrong with a peer's certificate.
public enum CertificateFault: Sendable, Equatable, CustomStringConvertible {
  case expired
  case notYetValid
  /// No authority that we trust issued it; self-signed ones too.
  case unknownAuthority
  /// It is for another host.
  case hostName
  case revoked
  /// Anything else, in the library's words.
  case other(String)

  public var description: String {
    switch self {
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .unknownAuthority: "no trusted authority issued it"
    case .hostName: "it is for another host"
    case .revoked: "it was revoked"
    case .other(let reason): reason
    }
  }
}

/// A TLS alert by its number (RFC 8446 section 6, RFC 5246 section 7.2.2).
public struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
  public let code: UInt8

  public init(code: UInt8) {
    self.code = code
  }

  public static let badCertificate = TLSAlert(code: 42)
  public static let unsupportedCertificate = TLSAlert(code: 43)
  public static let certificateRevoked = TLSAlert(code: 44)
  public static let certificateExpired = TLSAlert(code: 45)
  public static let certificateUnknown = TLSAlert(code: 46)
  public static let unknownAuthority = TLSAlert(code: 48)
  public static let accessDenied = TLSAlert(code: 49)
  public static let certificateRequired = TLSAlert(code: 116)

  /// The name in the RFCs, for alerts that a client meets.
  public var description: String {
    switch code {
    case 10: "unexpected_message"
    case 20: "bad_record_mac"
    case 40: "handshake_failure"
    case 42: "bad_certificate"
    case 43: "unsupported_certificate"
    case 44: "certificate_revoked"
    case 45: "certificate_expired"
    case 46: "certificate_unknown"
    case 47: "illegal_parameter"
    case 48: "unknown_ca"
    case 49: "access_denied"
    case 50: "decode_error"
    case 51: "decrypt_error"
    case 70: "protocol_version"
    case 71: "insufficient_security"
    case 80: "internal_error"
    case 86: "inappropriate_fallback"
    case 90: "user_canceled"
    case 112: "unrecognized_name"
    case 116: "certificate_required"
    case 120: "no_application_protocol"
    default: "\(code)"
    }
  }
}
