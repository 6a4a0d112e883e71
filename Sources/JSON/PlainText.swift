/// The search for what may not stand in a JSON string as it is: quotes, backslashes and control characters
/// (RFC 8259 section 7). Messages are kilobytes of plain text, so eight bytes are looked at together.
enum PlainText {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The place of the first such byte in `text` from `start` on; the text's end when there is none.
  static func end(in text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    let raw = text.bytes
    while text.count - index >= 8 {
      // Any eight bytes are a number, so the load can't go wrong but for its bounds, which it checks.
      let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found = zeroBytes(word ^ ones &* 0x22) | zeroBytes(word ^ ones &* 0x5C) | bytesBelowSpace(word)
      // A borrow can mark bytes behind the first one found, never before it.
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < text.count, !isSpecial(text[index]) { index += 1 }
    return index
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// The high bit of each byte of `word` that is zero.
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    (word &- ones) & ~word & highBits
  }

  /// The high bit of each byte of `word` below 0x20.
  private static func bytesBelowSpace(_ word: UInt64) -> UInt64 {
    (word &- ones &* 0x20) & ~word & highBits
  }
}
