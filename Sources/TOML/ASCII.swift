/// The characters that TOML's grammar names.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let backslash = UInt8(ascii: "\\")
  static let hash = UInt8(ascii: "#")
  static let comma = UInt8(ascii: ",")
  static let dot = UInt8(ascii: ".")
  static let equals = UInt8(ascii: "=")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let underscore = UInt8(ascii: "_")
  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let colon = UInt8(ascii: ":")
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return byte >= 0x30 && byte <= 0x39
  }

  /// `unquoted-key` of the grammar.
  static func isBareKey(_ byte: UInt8?) -> Bool {
    guard let byte, byte < 0x80 else { return false }
    return (byte < 0x40 ? bareKeysLow >> UInt64(byte) : bareKeysHigh >> UInt64(byte & 0x3F)) & 1 == 1
  }

  // A bit for each character: digits and the hyphen below 0x40, letters and the underscore above.
  private static let bareKeysLow: UInt64 = 0x3FF << 0x30 | 1 << 0x2D
  private static let bareKeysHigh: UInt64 = 0x3FF_FFFF << 0x01 | 1 << 0x1F | 0x3FF_FFFF << 0x21
}
