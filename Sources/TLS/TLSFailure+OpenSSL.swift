import COpenSSL
import EventLoop

extension TLSFailure {
  /// OpenSSL reports a received alert as its number plus this (SSL_AD_REASON_OFFSET in ssl.h).
  private static let alertOffset: UInt = 1000

  /// The failure behind the calling thread's error queue, which is emptied.
  ///
  /// - Parameter verification: `SSL_get_verify_result`; only of meaning during a handshake.
  static func take(verification: Int) -> TLSFailure {
    let code = ERR_peek_last_error()
    let words = TLSError.lastReason()
    if let fault = CertificateFault(verification: verification) { return .certificate(fault) }
    // ERR_GET_LIB and ERR_GET_REASON are inline functions that the module does not show.
    let library = (code >> 23) & 0xFF
    let reason = code & 0x7F_FFFF
    if library == UInt(ERR_LIB_SSL), reason >= alertOffset, reason <= alertOffset + 255 {
      return .alert(TLSAlert(code: UInt8(truncatingIfNeeded: reason - alertOffset)))
    }
    return .library(words)
  }
}

extension CertificateFault {
  /// Nil for `X509_V_OK`.
  init?(verification: Int) {
    switch Int32(truncatingIfNeeded: verification) {
    case X509_V_OK: return nil
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      self = .unknownAuthority
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .hostName
    case X509_V_ERR_CERT_REVOKED: self = .revoked
    default:
      self = .other(
        X509_verify_cert_error_string(verification).map { String(cString: $0) } ?? "code \(verification)")
    }
  }
}
