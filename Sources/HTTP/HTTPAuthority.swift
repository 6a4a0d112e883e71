/// Host and optional port (RFC 3986, section 3.2, without user information).
enum HTTPAuthority {
  /// Whether `text` is a registered name, an IPv4 address or a bracketed IPv6 address, with a port or
  /// without one. User information is refused (RFC 9110, section 4.2.4), an empty host as well.
  static func isValid(_ text: Span<UInt8>) -> Bool {
    var index = 0
    if text.count > 0, text[0] == 0x5B {
      index = 1
      while index < text.count, isIPv6Byte(text[index]) {
        index += 1
      }
      guard index > 2, index < text.count, text[index] == 0x5D else { return false }
      index += 1
    } else {
      while index < text.count, isNameByte(text[index]) {
        index += 1
      }
      guard index > 0 else { return false }
    }
    guard index < text.count else { return true }
    guard text[index] == 0x3A, text.count - index <= 6 else { return false }
    for position in (index + 1)..<text.count where text[position] < 0x30 || text[position] > 0x39 {
      return false
    }
    return true
  }

  private static func isIPv6Byte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x2E, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  /// Unreserved characters, sub-delimiters and the percent sign (RFC 3986, `reg-name`).
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25: true
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }
}
