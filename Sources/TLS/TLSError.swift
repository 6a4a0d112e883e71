import COpenSSL
import Crypto

/// Why a TLS context could not be made. Never holds key material.
public enum TLSError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A PEM text did not hold what it should; `what` names it, such as `certificate`.
  case badPEM(what: String, reason: String)
  /// A PKCS #12 file cannot be used.
  case badPKCS12(reason: String)
  /// The private key does not belong to the certificate.
  case keyMismatch
  /// The CA file cannot be read or holds no certificate.
  case badTrust(file: String, reason: String)
  /// The library refused a setting.
  case library(String)

  public var description: String {
    switch self {
    case .badPEM(let what, let reason): "the \(what) is not usable PEM: \(reason)"
    case .badPKCS12(let reason): "the .p12 file is not usable: \(reason)"
    case .keyMismatch: "the private key does not belong to the certificate"
    case .badTrust(let file, let reason): "cannot load CA certificates from \(file): \(reason)"
    case .library(let reason): "TLS set-up failed: \(reason)"
    }
  }

  /// What `read` gives; its failure as `badPEM` of `what`.
  static func reading<Value>(
    _ what: String, _ read: () throws(CryptoError) -> Value
  ) throws(TLSError) -> Value {
    do throws(CryptoError) {
      return try read()
    } catch .invalidPEM(let reason) {
      throw .badPEM(what: what, reason: reason)
    } catch {
      throw .badPEM(what: what, reason: "\(error)")
    }
  }

  /// The newest reason in the calling thread's error queue, which is emptied.
  static func lastReason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0 else { return "no reason given" }
    guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
    return String(cString: text)
  }
}
