/// What holds for every byte of a TOML document, whatever it is part of: UTF-8, and no control character
/// but tab, LF and CR LF (TOML 1.0.0, "Spec", "Comment" and "String").
enum TextValidation {
  /// Checks all of `bytes` in one pass, so that the parser needs no such check.
  static func check(_ bytes: [UInt8]) throws(TOMLError) {
    var index = 0
    while true {
      index = endOfPlainText(bytes, from: index)
      guard index < bytes.count else { return }
      let byte = bytes[index]
      if byte < 0x80 {
        if byte < 0x20 || byte == 0x7F { try checkControl(bytes, at: index) }
        index += 1
      } else {
        let length = sequenceLength(bytes, at: index)
        guard length > 0 else { throw invalidUTF8(bytes, at: index) }
        index += length
      }
    }
  }

  /// Steps over printable ASCII, eight bytes at a time.
  private static func endOfPlainText(_ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { memory in
      var index = start
      while index + 8 <= memory.count {
        let word = UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        // A byte's top bit here stands for: not ASCII, below a space (0x20 borrows), or DEL (the sum carries).
        // The lowest is right for certain: no borrow or carry has come to it.
        let others = (word | (word &- spaces) | (word &+ ones)) & topBits
        guard others == 0 else { return index + others.trailingZeroBitCount / 8 }
        index += 8
      }
      return index
    }
  }

  private static let spaces: UInt64 = 0x2020_2020_2020_2020
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let topBits: UInt64 = 0x8080_8080_8080_8080

  private static func checkControl(_ bytes: [UInt8], at index: Int) throws(TOMLError) {
    switch bytes[index] {
    case ASCII.tab, ASCII.lineFeed: return
    case ASCII.carriageReturn:
      if index + 1 < bytes.count, bytes[index + 1] == ASCII.lineFeed { return }
      throw TOMLError(
        "found a carriage return without a line feed; a line ends with LF or CR LF",
        at: position(of: index, in: bytes))
    default:
      throw TOMLError(
        "found the control character \(codePoint(UInt32(bytes[index]))), which is not allowed anywhere; "
          + "in a \"...\" string write it as an escape",
        at: position(of: index, in: bytes))
    }
  }

  private static func invalidUTF8(_ bytes: [UInt8], at index: Int) -> TOMLError {
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    let digits = String(bytes[index], radix: 16, uppercase: true)
    return TOMLError(
      isUTF16
        ? "found a UTF-16 byte order mark; save the file as UTF-8"
        : "found the byte 0x\(digits), which is no valid UTF-8 here; save the file as UTF-8",
      at: position(of: index, in: bytes))
  }

  /// Length of the well-formed sequence of two to four bytes at `index`, 0 when there is none
  /// (Unicode Standard, table 3-7: no overlong form, no surrogate, nothing over U+10FFFF).
  private static func sequenceLength(_ bytes: [UInt8], at index: Int) -> Int {
    func continues(_ distance: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      index + distance < bytes.count && range.contains(bytes[index + distance])
    }
    switch bytes[index] {
    case 0xC2...0xDF: return continues(1) ? 2 : 0
    case 0xE0: return continues(1, 0xA0...0xBF) && continues(2) ? 3 : 0
    case 0xED: return continues(1, 0x80...0x9F) && continues(2) ? 3 : 0
    case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
    case 0xF0: return continues(1, 0x90...0xBF) && continues(2) && continues(3) ? 4 : 0
    case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
    case 0xF4: return continues(1, 0x80...0x8F) && continues(2) && continues(3) ? 4 : 0
    default: return 0
    }
  }

  private static func position(of index: Int, in bytes: [UInt8]) -> TOMLPosition {
    var cursor = Cursor(bytes)
    while cursor.offset < index { cursor.advance() }
    return cursor.position
  }
}
