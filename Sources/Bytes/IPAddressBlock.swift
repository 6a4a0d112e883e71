/// Addresses that begin alike: `192.0.2.0/24`, `2001:db8::/32` (RFC 4632, RFC 4291, section 2.3).
public struct IPAddressBlock: Hashable, Sendable, CustomStringConvertible {
  private let base: IPAddress
  private let prefix: Int

  /// From an address with `/` and the number of bits that count, or an address alone; nil for anything
  /// else. Bits after the prefix do not count.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
    // The bits count in the form that was written.
    let isMapped = !address.isIPv6 && first.contains(":")
    let width = first.contains(":") ? 128 : 32
    var bits = width
    if parts.count > 1 {
      guard parts.count == 2, (1...3).contains(parts[1].utf8.count),
        let number = ASCIIDecimal.parse(parts[1].utf8), number <= width
      else { return nil }
      bits = Int(number)
    }
    if isMapped {
      guard bits >= 96 else { return nil }
      bits -= 96
    }
    base = address.masked(to: bits)
    prefix = bits
  }

  public func contains(_ address: IPAddress) -> Bool {
    address.isIPv6 == base.isIPv6 && address.masked(to: prefix) == base
  }

  public var description: String { "\(base)/\(prefix)" }
}
