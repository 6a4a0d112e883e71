import CLinux
import Glibc

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  public let ipBytes: [UInt8]
  public let port: UInt16
  /// The interface of a link-local IPv6 address; 0 otherwise.
  let scope: UInt32

  /// From the text of an address (`127.0.0.1`, `::1`); nil when it is none.
  public init?(ip: String, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, ip, &v4) == 1 {
      ipBytes = withUnsafeBytes(of: &v4) { Array($0) }
    } else if inet_pton(AF_INET6, ip, &v6) == 1 {
      ipBytes = withUnsafeBytes(of: &v6) { Array($0) }
    } else {
      return nil
    }
    self.port = port
    scope = 0
  }

  /// From what the kernel filled in; nil for another family.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch Int32(storage.ss_family) {
    case AF_INET:
      let address = withUnsafeBytes(of: &storage) { $0.loadUnaligned(as: sockaddr_in.self) }
      ipBytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
      port = UInt16(bigEndian: address.sin_port)
      scope = 0
    case AF_INET6:
      let address = withUnsafeBytes(of: &storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
      ipBytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
      port = UInt16(bigEndian: address.sin6_port)
      scope = address.sin6_scope_id
    default:
      return nil
    }
  }

  public var isIPv6: Bool { ipBytes.count == 16 }
  var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

  /// The address without its port.
  public var ipText: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let text = ipBytes.withUnsafeBytes {
      inet_ntop(family, $0.baseAddress, &buffer, socklen_t(buffer.count))
    }
    return text.map { String(cString: $0) } ?? "?"
  }

  /// `1.2.3.4:80` or `[::1]:80`.
  public var description: String { isIPv6 ? "[\(ipText)]:\(port)" : "\(ipText):\(port)" }

  /// Lends the kernel's form to `body`.
  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: ipBytes) }
      return withUnsafeBytes(of: &address) { lend($0, body) }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: ipBytes) }
    return withUnsafeBytes(of: &address) { lend($0, body) }
  }

  private func lend<Result>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    // The buffer is a local variable's, so it has an address.
    guard let base = bytes.baseAddress else { preconditionFailure("empty socket address") }
    return body(base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
  }
}
