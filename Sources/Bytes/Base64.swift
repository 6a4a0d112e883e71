/// Base64 (RFC 4648 sections 4 and 5), strict: no white space, no stray bits, padding exactly as the
/// alphabet's rule says.
public enum Base64 {
  /// Which of the two alphabets, with its padding rule.
  public enum Alphabet: Sendable {
    /// `+` and `/`, padded with `=` (section 4).
    case standard
    /// `-` and `_`, unpadded, as JSON Web Signature wants it (section 5; RFC 7515 section 2).
    case url
  }

  private static let standardDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes `bytes`.
  public static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
    let digits = alphabet == .standard ? standardDigits : urlDigits
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let remaining = bytes.count - index
      let b0 = bytes[index]
      let b1 = remaining > 1 ? bytes[index + 1] : 0
      let b2 = remaining > 2 ? bytes[index + 2] : 0
      out.append(digits[Int(b0 >> 2)])
      out.append(digits[Int((b0 & 3) << 4 | b1 >> 4)])
      if remaining > 1 { out.append(digits[Int((b1 & 15) << 2 | b2 >> 6)]) }
      if remaining > 2 { out.append(digits[Int(b2 & 63)]) }
      index += 3
    }
    if alphabet == .standard {
      while out.count % 4 != 0 { out.append(UInt8(ascii: "=")) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The bytes that `text` encodes; nil when it is not valid for `alphabet`.
  @inlinable
  public static func decode(_ text: some Sequence<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
    decode(Array(text), alphabet)
  }

  /// The bytes that `digits` encode; nil when they are not valid for `alphabet`.
  public static func decode(_ digits: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8]? {
    var digits = digits
    if alphabet == .standard {
      guard digits.count % 4 == 0 else { return nil }
      var padding = 0
      while padding < 2, digits.last == UInt8(ascii: "=") {
        digits.removeLast()
        padding += 1
      }
    }
    guard digits.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for digit in digits {
      guard let value = value(of: digit, alphabet) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        out.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    // Bits left over must be zero, or two texts would decode to the same bytes.
    return bits == 0 ? out : nil
  }

  private static func value(of digit: UInt8, _ alphabet: Alphabet) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): alphabet == .standard ? 62 : nil
    case UInt8(ascii: "/"): alphabet == .standard ? 63 : nil
    case UInt8(ascii: "-"): alphabet == .url ? 62 : nil
    case UInt8(ascii: "_"): alphabet == .url ? 63 : nil
    default: nil
    }
  }
}
