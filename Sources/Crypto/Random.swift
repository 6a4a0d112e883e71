import COpenSSL

/// Bytes from OpenSSL's generator, fit for keys and nonces.
public enum Random {
  /// `count` random bytes; throws when the generator cannot be seeded.
  public static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    guard let length = Int32(exactly: bytes.count), RAND_bytes(&bytes, length) == 1
    else { throw .fromOpenSSL("random generator") }
    return bytes
  }
}
