import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
  /// The 32-byte authentication code of `message` under `key`.
  public static func authenticate(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try authenticate(key: key, message: message.span)
  }

  /// The 32-byte authentication code of `message` under `key`.
  public static func authenticate(key: [UInt8], message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard let keyLength = Int32(exactly: key.count) else { throw .invalidKey("an HMAC key over 2 GiB") }
    var code = [UInt8](repeating: 0, count: SHA256.byteCount)
    let done = message.withUnsafeBufferPointer {
      HMAC(Algorithms.sha256.pointer, key, keyLength, $0.baseAddress, $0.count, &code, nil) != nil
    }
    guard done else { throw .fromOpenSSL("HMAC") }
    return code
  }
}
