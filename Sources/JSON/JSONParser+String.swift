import Bytes

extension JSONParser {
  /// Parses the string whose opening quote stands at `offset`.
  mutating func parseString(_ text: Span<UInt8>) throws(JSONError) -> String {
    let start = offset + 1
    var end = start
    var hasEscape = false
    scan: while true {
      end = PlainText.end(in: text, from: end)
      guard end < text.count else {
        offset = text.count
        throw failure("the string's closing quote", text)
      }
      switch text[end] {
      case UInt8(ascii: "\""):
        break scan
      case UInt8(ascii: "\\"):
        hasEscape = true
        // Whatever is escaped can't end the string; `unescape` judges it.
        end += 2
      default:
        throw JSONError(.controlCharacter, at: end, in: text)
      }
    }
    let content = text.extracting(start..<end)
    let utf8: UTF8Span
    do {
      // Escapes are ASCII, so the content is valid if and only if the bytes between them are.
      utf8 = try UTF8Span(validating: content)
    } catch {
      throw JSONError(.invalidUTF8, at: start + error.byteOffsets.lowerBound, in: text)
    }
    offset = end + 1
    return hasEscape ? try unescape(content, at: start, text) : String(copying: utf8)
  }

  /// `content`, which stands at `start` in `text`, with its escapes replaced (RFC 8259 section 7).
  private func unescape(
    _ content: Span<UInt8>, at start: Int, _ text: Span<UInt8>
  ) throws(JSONError) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(content.count)
    var index = 0
    while index < content.count {
      let byte = content[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        continue
      }
      // The scan saw to it that a byte follows.
      let escape = content[index]
      index += 1
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(escape)
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        let scalar = try unescapeScalar(content, &index, at: start, text)
        out.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      default:
        throw JSONError(
          .unexpectedByte(expected: "one of \"\\/bfnrtu after a backslash"), at: start + index - 1, in: text)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The character of the `\u` escape whose digits begin at `index`; steps over them, and over the second
  /// escape when it is a surrogate pair.
  private func unescapeScalar(
    _ content: Span<UInt8>, _ index: inout Int, at start: Int, _ text: Span<UInt8>
  ) throws(JSONError) -> Unicode.Scalar {
    let escapeOffset = start + index - 2
    let unit = try hexUnit(content, &index, at: start, text)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard UTF16.isLeadSurrogate(unit), content.count - index >= 2,
      content[index] == UInt8(ascii: "\\"), content[index + 1] == UInt8(ascii: "u")
    else { throw JSONError(.loneSurrogate, at: escapeOffset, in: text) }
    index += 2
    let second = try hexUnit(content, &index, at: start, text)
    guard UTF16.isTrailSurrogate(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
    else { throw JSONError(.loneSurrogate, at: escapeOffset, in: text) }
    return scalar
  }

  /// The UTF-16 code unit of four hex digits at `index`; steps over them.
  private func hexUnit(
    _ content: Span<UInt8>, _ index: inout Int, at start: Int, _ text: Span<UInt8>
  ) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard index < content.count, let digit = Hex.digitValue(content[index]) else {
        throw JSONError(.unexpectedByte(expected: "four hex digits after \\u"), at: start + index, in: text)
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }
}
