import COpenSSL

/// A signing key on the curve P-256 for ES256 (RFC 7518 section 3.4), as APNs provider tokens use it.
public final class P256PrivateKey: Sendable {
  private let key: KeyHandle

  /// Reads an unencrypted PKCS#8 (`PRIVATE KEY`, Apple's `.p8`) or SEC1 (`EC PRIVATE KEY`) block.
  public init(pem: String) throws(CryptoError) {
    key = try PEM.privateKey(pem)
    try P256.check(key)
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil)
    else { throw .fromOpenSSL("key check") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_check(context) == 1 else {
      throw .invalidKey(
        "the private and public half do not belong together (\(CryptoError.takeOpenSSLReason()))")
    }
  }

  private init(key: KeyHandle) { self.key = key }

  /// A new random key.
  public static func generate() throws(CryptoError) -> P256PrivateKey {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .fromOpenSSL("P-256 key") }
    defer { EVP_PKEY_CTX_free(context) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_generate(context, &pointer) == 1, let pointer
    else { throw .fromOpenSSL("P-256 key generation") }
    return P256PrivateKey(key: KeyHandle(owning: pointer))
  }

  /// The key as an unencrypted PKCS#8 block.
  public func pem() throws(CryptoError) -> String { try PEM.encodePrivate(key) }

  /// The key that verifies what this one signs.
  public func publicKey() throws(CryptoError) -> P256PublicKey { try P256PublicKey(key: key.publicHalf()) }

  /// The ES256 signature of `message`: r and s, 32 bytes each, big endian.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try P256.rawSignature(der: key.sign(message.span, digest: "SHA2-256"))
  }

  /// For certificates, which this module alone signs.
  var handle: KeyHandle { key }
}

/// A verification key on the curve P-256 for ES256 (RFC 7518 section 3.4).
public final class P256PublicKey: Sendable {
  private let key: KeyHandle

  /// Reads a `PUBLIC KEY` block.
  public init(pem: String) throws(CryptoError) {
    key = try PEM.publicKey(pem)
    try P256.check(key)
  }

  init(key: KeyHandle) { self.key = key }

  /// The key as a `PUBLIC KEY` block.
  public func pem() throws(CryptoError) -> String { try PEM.encodePublic(key) }

  /// Whether `signature`, r and s of 32 bytes each, is valid for `message`.
  public func verify(signature: [UInt8], message: [UInt8]) -> Bool {
    guard let der = P256.derSignature(raw: signature) else { return false }
    return key.verify(der.span, message: message.span, digest: "SHA2-256")
  }
}

/// What both halves share: the check of the curve and the two forms of a signature. OpenSSL speaks DER
/// (RFC 3279 section 2.2.3), JSON Web Signature wants r and s side by side.
private enum P256 {
  static let coordinateByteCount = 32

  static func check(_ key: KeyHandle) throws(CryptoError) {
    guard key.kind == "EC" else {
      throw .invalidKey("an EC key on the curve P-256 is needed, this is of the kind \(key.kind)")
    }
    var name = [CChar](repeating: 0, count: 80)
    var length = 0
    guard EVP_PKEY_get_group_name(key.pointer, &name, name.count, &length) == 1, length <= name.count
    else { throw .fromOpenSSL("reading the curve of the key") }
    let curve = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard curve == "prime256v1" || curve == "P-256" else {
      throw .invalidKey("the curve P-256 (prime256v1) is needed, the key is on \(curve)")
    }
  }

  static func rawSignature(der: [UInt8]) throws(CryptoError) -> [UInt8] {
    let signature = der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_ECDSA_SIG(nil, &cursor, buffer.count)
    }
    guard let signature else { throw .fromOpenSSL("ES256 signature") }
    defer { ECDSA_SIG_free(signature) }
    let size = Int32(coordinateByteCount)
    var raw = [UInt8](repeating: 0, count: 2 * coordinateByteCount)
    let written = raw.withUnsafeMutableBufferPointer { buffer -> Bool in
      guard let start = buffer.baseAddress else { return false }
      return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, size) == size
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + coordinateByteCount, size) == size
    }
    guard written else { throw .fromOpenSSL("ES256 signature") }
    return raw
  }

  static func derSignature(raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 2 * coordinateByteCount, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let size = Int32(coordinateByteCount)
    guard let r = BN_bin2bn(Array(raw[..<coordinateByteCount]), size, nil) else { return nil }
    guard let s = BN_bin2bn(Array(raw[coordinateByteCount...]), size, nil) else {
      BN_free(r)
      return nil
    }
    guard ECDSA_SIG_set0(signature, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_ECDSA_SIG(signature, &encoded)
    guard length > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
  }
}
