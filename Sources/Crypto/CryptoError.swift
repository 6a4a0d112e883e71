import COpenSSL

/// What a cryptographic operation refused. No case carries key material.
public enum CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A key of the wrong kind, on the wrong curve, or with an unusable value.
  case invalidKey(String)
  /// Text that is not the PEM block that was asked for.
  case invalidPEM(String)
  /// An argument of the wrong length, in bytes.
  case wrongLength(what: String, expected: Int, actual: Int)
  /// AES-GCM: the sealed bytes or the additional data were altered, or the key is another one.
  case authenticationFailed
  /// A name, address or validity that no certificate can carry.
  case invalidCertificateRequest(String)
  /// A JSON Web Signature that is not three base64url parts.
  case malformedToken(String)
  /// OpenSSL failed; `reason` is its own fixed text.
  case openSSL(operation: String, reason: String)

  public var description: String {
    switch self {
    case .invalidKey(let text): "invalid key: \(text)"
    case .invalidPEM(let text): "invalid PEM: \(text)"
    case .wrongLength(let what, let expected, let actual):
      "\(what) must be \(expected) bytes long, not \(actual)"
    case .authenticationFailed:
      "decryption failed: the data was altered or the key is not the one it was sealed with"
    case .invalidCertificateRequest(let text): "cannot issue the certificate: \(text)"
    case .malformedToken(let text): "malformed token: \(text)"
    case .openSSL(let operation, let reason): "\(operation) failed: \(reason)"
    }
  }
}

extension CryptoError {
  /// The error for a failed call, with the oldest entry of this thread's OpenSSL queue as the reason.
  /// Empties the queue: a leftover entry would be taken for the failure of a later TLS call.
  static func fromOpenSSL(_ operation: String) -> CryptoError {
    .openSSL(operation: operation, reason: takeOpenSSLReason())
  }

  static func takeOpenSSLReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no reason given by OpenSSL" }
    guard let reason = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
    return String(cString: reason)
  }
}
