import COpenSSL

/// Checks on the 32-byte encoding of an Edwards point (RFC 8032 section 5.1.2) that OpenSSL's Ed25519
/// leaves out.
enum Ed25519PointEncoding {
  static let byteCount = 32

  /// p = 2^255 - 19, little endian.
  private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

  /// The y coordinates, little endian, of the eight points whose order divides 8: 0 (order 4), 1 (the
  /// identity), p - 1 (order 2) and the two of order 8. The sign of x makes no difference.
  private static let smallOrder: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]

  /// Whether y is below p. `point` has 32 bytes.
  static func isCanonical(_ point: Span<UInt8>) -> Bool {
    for index in (0..<byteCount).reversed() {
      let byte = index == byteCount - 1 ? point[index] & 0x7F : point[index]
      if byte != prime[index] { return byte < prime[index] }
    }
    return false
  }

  /// Whether a canonical `point` of 32 bytes has an order that divides 8.
  static func isSmallOrder(_ point: Span<UInt8>) -> Bool {
    smallOrder.contains { y in
      for index in 0..<byteCount - 1 where point[index] != y[index] { return false }
      return point[byteCount - 1] & 0x7F == y[byteCount - 1]
    }
  }

  /// Whether some x belongs to the y of `point`, that is, whether x^2 = (y^2 - 1) / (d y^2 + 1) has a
  /// root. OpenSSL takes any 32 bytes as a key and then refuses every signature.
  static func isOnCurve(_ point: [UInt8]) throws(CryptoError) -> Bool {
    var yBytes = point
    yBytes[byteCount - 1] &= 0x7F
    guard let context = BN_CTX_new() else { throw .fromOpenSSL("curve arithmetic") }
    defer { BN_CTX_free(context) }
    BN_CTX_start(context)
    defer { BN_CTX_end(context) }
    guard let p = BN_CTX_get(context), let y = BN_CTX_get(context), let d = BN_CTX_get(context),
      let numerator = BN_CTX_get(context), let denominator = BN_CTX_get(context),
      let product = BN_CTX_get(context),
      BN_lebin2bn(prime, Int32(byteCount), p) != nil, BN_lebin2bn(yBytes, Int32(byteCount), y) != nil,
      // d = -121665 / 121666 mod p
      BN_set_word(product, 121_666) == 1, BN_mod_inverse(denominator, product, p, context) != nil,
      BN_set_word(product, 121_665) == 1, BN_mod_mul(d, product, denominator, p, context) == 1,
      BN_sub(d, p, d) == 1,
      BN_mod_sqr(y, y, p, context) == 1,
      BN_mod_sub(numerator, y, BN_value_one(), p, context) == 1,
      BN_mod_mul(denominator, d, y, p, context) == 1,
      BN_mod_add(denominator, denominator, BN_value_one(), p, context) == 1,
      // The denominator is never 0 (-1/d is no square), so u/v is a square exactly when u v is one.
      BN_mod_mul(product, numerator, denominator, p, context) == 1
    else { throw .fromOpenSSL("curve arithmetic") }
    let symbol = BN_kronecker(product, p, context)
    guard symbol != -2 else { throw .fromOpenSSL("curve arithmetic") }
    return symbol != -1
  }
}
