import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
  /// The 32-byte authentication code of `message` under `key`.
  public static func authenticate(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try authenticate(key: key, message: message.span)
  }

  /// The 32-byte authentication code of `message` under `key`.
  public static func authenticate(key: [UInt8], message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MAC_CTX_new(Algorithms.hmac.pointer) else { throw .fromOpenSSL("HMAC") }
    defer { EVP_MAC_CTX_free(context) }
    guard initialize(context, key: key) == 1 else { throw .fromOpenSSL("HMAC") }
    let updated = message.withUnsafeBufferPointer { EVP_MAC_update(context, $0.baseAddress, $0.count) }
    guard updated == 1 else { throw .fromOpenSSL("HMAC") }
    var code = [UInt8](repeating: 0, count: SHA256.byteCount)
    var length = 0
    guard EVP_MAC_final(context, &code, &length, code.count) == 1, length == code.count
    else { throw .fromOpenSSL("HMAC") }
    return code
  }

  private static func initialize(_ context: OpaquePointer, key: [UInt8]) -> Int32 {
    var digestName = Array("SHA2-256".utf8CString)
    return digestName.withUnsafeMutableBufferPointer { name in
      var parameters = [
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
        OSSL_PARAM_construct_end(),
      ]
      // A nil key means "keep the former one" to OpenSSL, so that an empty one needs an address.
      return key.isEmpty
        ? EVP_MAC_init(context, [0], 0, &parameters)
        : EVP_MAC_init(context, key, key.count, &parameters)
    }
  }
}
