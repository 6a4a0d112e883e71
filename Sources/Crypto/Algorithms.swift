import COpenSSL

/// Algorithms fetched once: an implicit fetch in each call takes locks and costs more than hashing a
/// short message.
enum Algorithms {
  static let sha256 = FetchedDigest("SHA2-256")
  static let aes256GCM = FetchedCipher("AES-256-GCM")
}

/// An `EVP_MD`: immutable and shared between threads by OpenSSL's rules, alive as long as the process.
final class FetchedDigest: @unchecked Sendable {
  let pointer: OpaquePointer?
  init(_ name: String) { pointer = EVP_MD_fetch(nil, name, nil) }
  deinit { EVP_MD_free(pointer) }
}

/// An `EVP_CIPHER`; see `FetchedDigest`.
final class FetchedCipher: @unchecked Sendable {
  let pointer: OpaquePointer?
  init(_ name: String) { pointer = EVP_CIPHER_fetch(nil, name, nil) }
  deinit { EVP_CIPHER_free(pointer) }
}
