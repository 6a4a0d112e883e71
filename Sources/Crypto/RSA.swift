import COpenSSL

/// A signing key for RS256, RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3), as Google's service
/// accounts use it.
public final class RSAPrivateKey: Sendable {
  /// Fewest bits of the modulus (RFC 7518 section 3.3).
  public static let minimumBits = 2048

  private let key: KeyHandle

  /// Reads an unencrypted PKCS#8 (`PRIVATE KEY`) or PKCS#1 (`RSA PRIVATE KEY`) block.
  public init(pem: String) throws(CryptoError) {
    key = try PEM.privateKey(pem)
    try RSA.check(key)
  }

  private init(key: KeyHandle) { self.key = key }

  /// A new random key with a modulus of `bits` (at least 2048).
  public static func generate(bits: Int = minimumBits) throws(CryptoError) -> RSAPrivateKey {
    guard let size = Int32(exactly: bits), bits >= minimumBits else {
      throw .invalidKey("an RSA key needs at least \(minimumBits) bits, not \(bits)")
    }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw .fromOpenSSL("RSA key") }
    defer { EVP_PKEY_CTX_free(context) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, size) == 1,
      EVP_PKEY_generate(context, &pointer) == 1, let pointer
    else { throw .fromOpenSSL("RSA key generation") }
    return RSAPrivateKey(key: KeyHandle(owning: pointer))
  }

  /// The key as an unencrypted PKCS#8 block.
  public func pem() throws(CryptoError) -> String { try PEM.encodePrivate(key) }

  /// The key that verifies what this one signs.
  public func publicKey() throws(CryptoError) -> RSAPublicKey { try RSAPublicKey(key: key.publicHalf()) }

  /// The RS256 signature of `message`, as long as the modulus.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.sign(message.span, digest: "SHA2-256")
  }
}

/// A verification key for RS256 (RFC 7518 section 3.3).
public final class RSAPublicKey: Sendable {
  private let key: KeyHandle

  /// Reads a `PUBLIC KEY` block.
  public init(pem: String) throws(CryptoError) {
    key = try PEM.publicKey(pem)
    try RSA.check(key)
  }

  init(key: KeyHandle) { self.key = key }

  /// The key as a `PUBLIC KEY` block.
  public func pem() throws(CryptoError) -> String { try PEM.encodePublic(key) }

  /// Whether `signature` is valid for `message`.
  public func verify(signature: [UInt8], message: [UInt8]) -> Bool {
    key.verify(signature.span, message: message.span, digest: "SHA2-256")
  }
}

private enum RSA {
  static func check(_ key: KeyHandle) throws(CryptoError) {
    guard key.kind == "RSA" else {
      throw .invalidKey("an RSA key is needed, this is of the kind \(key.kind)")
    }
    let bits = Int(EVP_PKEY_get_bits(key.pointer))
    guard bits >= RSAPrivateKey.minimumBits else {
      throw .invalidKey("the RSA key has \(bits) bits; at least \(RSAPrivateKey.minimumBits) are needed")
    }
  }
}
