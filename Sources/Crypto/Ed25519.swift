import Bytes
import COpenSSL

/// An Ed25519 verification key (RFC 8032). Verifies from any thread.
public final class Ed25519PublicKey: Sendable {
  /// Bytes of a key.
  public static let byteCount = 32
  /// Bytes of a signature.
  public static let signatureByteCount = 64

  /// The key as RFC 8032 section 5.1.2 encodes it.
  public let rawBytes: [UInt8]
  private let key: KeyHandle

  /// Takes the 32 bytes of a key; refuses an encoding that is not canonical, a point of small order and
  /// what is no point at all.
  public init(rawBytes: [UInt8]) throws(CryptoError) {
    guard rawBytes.count == Self.byteCount else {
      throw .wrongLength(what: "an Ed25519 public key", expected: Self.byteCount, actual: rawBytes.count)
    }
    guard Ed25519PointEncoding.isCanonical(rawBytes.span) else {
      throw .invalidKey("not a canonical Ed25519 public key: its y coordinate is not below 2^255 - 19")
    }
    guard !Ed25519PointEncoding.isSmallOrder(rawBytes.span) else {
      throw .invalidKey("an Ed25519 public key of small order: signatures under it prove nothing")
    }
    guard try Ed25519PointEncoding.isOnCurve(rawBytes) else {
      throw .invalidKey("not an Ed25519 public key: no point of the curve has this encoding")
    }
    guard let pointer = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, rawBytes, rawBytes.count)
    else { throw .fromOpenSSL("Ed25519 public key") }
    self.rawBytes = rawBytes
    key = KeyHandle(owning: pointer)
  }

  /// Takes the 64 hex digits of a key, as the relay publishes its own; see `init(rawBytes:)`.
  public convenience init(hex: String) throws(CryptoError) {
    guard let rawBytes = Hex.decode(hex) else {
      throw .invalidKey("an Ed25519 public key is 64 hex digits, this text is not hex")
    }
    try self.init(rawBytes: rawBytes)
  }

  /// Whether `signature` is valid for `message`, by the strict rules: 64 bytes, S below the group order
  /// and R canonical (OpenSSL sees to these two), R not of small order.
  public func verify(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    signature.count == Self.signatureByteCount
      && !Ed25519PointEncoding.isSmallOrder(signature.extracting(0..<Ed25519PointEncoding.byteCount))
      && key.verify(signature, message: message, digest: nil)
  }

  /// Whether `signature` is valid for `message`; see the form that takes spans.
  public func verify(signature: [UInt8], message: [UInt8]) -> Bool {
    verify(signature: signature.span, message: message.span)
  }
}

/// An Ed25519 signing key (RFC 8032).
public final class Ed25519PrivateKey: Sendable {
  /// Bytes of a seed.
  public static let seedByteCount = 32

  /// The key that verifies what this one signs.
  public let publicKey: Ed25519PublicKey
  private let key: KeyHandle

  /// The key that a 32-byte seed stands for (RFC 8032 section 5.1.5).
  public init(seed: [UInt8]) throws(CryptoError) {
    guard seed.count == Self.seedByteCount else {
      throw .wrongLength(what: "an Ed25519 seed", expected: Self.seedByteCount, actual: seed.count)
    }
    guard let pointer = EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed, seed.count)
    else { throw .fromOpenSSL("Ed25519 private key") }
    key = KeyHandle(owning: pointer)
    var publicBytes = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
    var length = publicBytes.count
    guard EVP_PKEY_get_raw_public_key(pointer, &publicBytes, &length) == 1
    else { throw .fromOpenSSL("Ed25519 public key") }
    publicKey = try Ed25519PublicKey(rawBytes: publicBytes)
  }

  /// A new random key.
  public static func generate() throws(CryptoError) -> Ed25519PrivateKey {
    try Ed25519PrivateKey(seed: Random.bytes(seedByteCount))
  }

  /// The 64-byte signature of `message`.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.sign(message.span, digest: nil)
  }
}
