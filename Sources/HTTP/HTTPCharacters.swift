import Bytes

/// The character classes of RFC 9110, section 5.
enum HTTPCharacters {
  /// `tchar`: what a method or a field name is made of (RFC 9110, section 5.6.2).
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    let table = byte < 64 ? tokenLow : tokenHigh
    return byte < 128 && (table >> UInt64(byte & 63)) & 1 == 1
  }

  /// What a field value is made of: visible ASCII, space, tab and bytes above 0x7F (RFC 9110,
  /// section 5.5); NUL, CR, LF and the other control characters are not.
  @inline(__always)
  static func isFieldValue(_ byte: UInt8) -> Bool {
    (byte >= 0x20 && byte != 0x7F) || byte == 0x09
  }

  /// Whether `field` can go on the wire without ending early or starting another one.
  static func isSendable(_ field: HTTPField) -> Bool {
    !field.name.isEmpty && field.name.allUTF8Bytes(isToken) && field.value.allUTF8Bytes(isFieldValue)
  }

  /// Bits for 0x00 to 0x3F: ! # $ % & ' * + - . and the digits.
  private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
  /// Bits for 0x40 to 0x7F: the letters, ^ _ ` | and ~.
  private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE
}
