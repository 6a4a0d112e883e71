import Glibc

/// An IPv4 or IPv6 address as a value without a heap object. An IPv4 address in its IPv6 form
/// (`::ffff:192.0.2.1`, RFC 4291, section 2.5.5.2) is the IPv4 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  public let isIPv6: Bool
  /// The first 64 bits of an IPv6 address; 0 for IPv4.
  let high: UInt64
  /// The last 64 bits of an IPv6 address, or the 32 of an IPv4 one.
  let low: UInt64

  /// From 4 or 16 bytes in network order; nil for another number of them.
  public init?(bytes: [UInt8]) {
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self.init(v4: number(0..<4))
    case 16: self.init(high: number(0..<8), low: number(8..<16))
    default: return nil
    }
  }

  /// From the text of an address (`192.0.2.1`, `2001:db8::1`); nil when it is none.
  public init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(bytes: withUnsafeBytes(of: &v4) { Array($0) })
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(bytes: withUnsafeBytes(of: &v6) { Array($0) })
    } else {
      return nil
    }
  }

  private init(v4: UInt64) {
    self.init(isIPv6: false, high: 0, low: v4)
  }

  init(high: UInt64, low: UInt64) {
    if high == 0, low >> 32 == 0xFFFF {
      self.init(v4: low & 0xFFFF_FFFF)
    } else {
      self.init(isIPv6: true, high: high, low: low)
    }
  }

  private init(isIPv6: Bool, high: UInt64, low: UInt64) {
    self.isIPv6 = isIPv6
    self.high = high
    self.low = low
  }

  /// What one customer of a network holds: the address itself in IPv4, its /64 in IPv6.
  public var network: IPAddress { isIPv6 ? masked(to: 64) : self }

  /// The address with all bits after the first `prefix` zero.
  func masked(to prefix: Int) -> IPAddress {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
    return isIPv6
      ? IPAddress(isIPv6: true, high: high & mask(prefix), low: low & mask(prefix - 64))
      : IPAddress(isIPv6: false, high: 0, low: low & mask(prefix + 32))
  }

  /// `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let text: UnsafePointer<CChar>?
    if isIPv6 {
      text = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
        inet_ntop(AF_INET6, $0.baseAddress, &buffer, socklen_t(INET6_ADDRSTRLEN))
      }
    } else {
      text = withUnsafeBytes(of: UInt32(truncatingIfNeeded: low).bigEndian) {
        inet_ntop(AF_INET, $0.baseAddress, &buffer, socklen_t(INET6_ADDRSTRLEN))
      }
    }
    return text == nil
      ? "?" : String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
