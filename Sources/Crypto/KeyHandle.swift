import COpenSSL

/// Owns one `EVP_PKEY`.
///
/// Sendable: the key is never changed once built, and OpenSSL allows a constant key in concurrent
/// operations, each with a context of its own.
package final class KeyHandle: @unchecked Sendable {
  package let pointer: OpaquePointer

  /// Takes over `pointer`.
  package init(owning pointer: OpaquePointer) { self.pointer = pointer }
  deinit { EVP_PKEY_free(pointer) }

  /// OpenSSL's name of the kind of key: `EC`, `RSA`, `ED25519`, ...
  var kind: String { EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) } ?? "unknown" }

  /// A new handle that holds only the public half.
  func publicHalf() throws(CryptoError) -> KeyHandle {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_PUBKEY(pointer, &encoded)
    guard length > 0, let encoded else { throw .fromOpenSSL("public key encoding") }
    defer { CRYPTO_free(encoded, #file, #line) }
    var cursor: UnsafePointer<UInt8>? = UnsafePointer(encoded)
    guard let copy = d2i_PUBKEY(nil, &cursor, Int(length)) else { throw .fromOpenSSL("public key decoding") }
    return KeyHandle(owning: copy)
  }

  /// Signs `message`; `digest` is nil for schemes that hash on their own (Ed25519).
  func sign(_ message: Span<UInt8>, digest: String?) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .fromOpenSSL("signing") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1
    else { throw .fromOpenSSL("signing") }
    var length = Int(EVP_PKEY_get_size(pointer))
    var signature = [UInt8](repeating: 0, count: length)
    let status = message.withUnsafeBufferPointer {
      EVP_DigestSign(context, &signature, &length, $0.baseAddress, $0.count)
    }
    guard status == 1 else { throw .fromOpenSSL("signing") }
    signature.removeSubrange(min(length, signature.count)...)
    return signature
  }

  /// Whether `signature` is valid for `message`; `digest` as in `sign`.
  func verify(_ signature: Span<UInt8>, message: Span<UInt8>, digest: String?) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    let valid =
      EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1
      && signature.withUnsafeBufferPointer { signature in
        message.withUnsafeBufferPointer { message in
          EVP_DigestVerify(
            context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
        }
      }
    // A leftover entry would be taken for the failure of a later TLS call on this thread.
    if !valid { ERR_clear_error() }
    return valid
  }
}
