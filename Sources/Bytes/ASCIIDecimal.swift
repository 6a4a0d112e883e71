/// Unsigned decimal numbers in ASCII.
public enum ASCIIDecimal {
  /// The number that `text` spells: digits only, no sign, no overflow; nil otherwise or when empty.
  @inlinable
  public static func parse(_ text: some Collection<UInt8>) -> UInt64? {
    guard !text.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in text {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  /// Appends `value` in decimal.
  public static func append(_ value: UInt64, to out: inout [UInt8]) {
    var value = value
    let start = out.count
    repeat {
      out.append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
      value /= 10
    } while value > 0
    out[start...].reverse()
  }
}
