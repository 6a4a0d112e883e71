/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF"): a keyed hash that nobody can
/// invert or aim without the key.
public struct SipHash: Sendable {
  /// Bytes of a key.
  public static let keyByteCount = 16

  private let key0: UInt64
  private let key1: UInt64

  /// - Parameter key: its first 16 bytes count; what is missing is zero.
  public init(key: [UInt8]) {
    key0 = Self.word(key, 0)
    key1 = Self.word(key, 8)
  }

  /// The hash of `bytes`.
  public func hash(_ bytes: [UInt8]) -> UInt64 {
    var state = State(key0, key1)
    let whole = bytes.count & ~7
    for start in stride(from: 0, to: whole, by: 8) { state.absorb(Self.word(bytes, start)) }
    state.absorb(Self.word(bytes, whole) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.finish()
  }

  /// Up to eight bytes from `start` on, little-endian.
  private static func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<8 where start + index < bytes.count {
      word |= UInt64(bytes[start + index]) << UInt64(8 * index)
    }
    return word
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
      v0 = key0 ^ 0x736f_6d65_7073_6575
      v1 = key1 ^ 0x646f_7261_6e64_6f6d
      v2 = key0 ^ 0x6c79_6765_6e65_7261
      v3 = key1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v2 &+= v3
      v1 = Self.rotate(v1, 13) ^ v0
      v3 = Self.rotate(v3, 16) ^ v2
      v0 = Self.rotate(v0, 32)
      v2 &+= v1
      v0 &+= v3
      v1 = Self.rotate(v1, 17) ^ v2
      v3 = Self.rotate(v3, 21) ^ v0
      v2 = Self.rotate(v2, 32)
    }

    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
      word << bits | word >> (64 - bits)
    }
  }
}
