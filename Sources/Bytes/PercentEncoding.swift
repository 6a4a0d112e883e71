/// Percent-encoding in URI paths (RFC 3986 section 2.1).
public enum PercentEncoding {
  /// `text` with every `%XX` decoded; nil for a malformed escape, a NUL byte, or bytes that are no UTF-8.
  public static func decode(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var out: [UInt8] = []
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        out.append(byte)
        continue
      }
      guard let high = iterator.next().flatMap(Hex.digitValue),
        let low = iterator.next().flatMap(Hex.digitValue),
        high << 4 | low != 0
      else { return nil }
      out.append(high << 4 | low)
    }
    return String(validating: out, as: UTF8.self)
  }
}
