/// Hexadecimal text (RFC 4648 section 8).
public enum Hex {
  /// Lower-case hex of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

  /// Lower-case hex of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      var end = 0
      for byte in bytes {
        text[end] = digit(byte >> 4)
        text[end + 1] = digit(byte & 15)
        end += 2
      }
      return end
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// The bytes that `text` spells in either case; nil for an odd length or anything that is no digit.
  public static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode(Span(_unsafeElements: $0)) }
  }

  /// The bytes that ASCII `text` spells in either case; nil for an odd length or anything that is no digit.
  public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count / 2)
    var index = 0
    while index < text.count {
      guard let high = digitValue(text[index]), let low = digitValue(text[index + 1]) else { return nil }
      out.append(high << 4 | low)
      index += 2
    }
    return out
  }

  /// The value of one hex digit, nil when `byte` is none.
  @inlinable
  public static func digitValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
