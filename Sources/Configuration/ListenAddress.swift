import Glibc

/// An IP address and port to listen on.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// IPv4, or IPv6 without brackets.
  public let ip: String
  /// 0 lets the kernel choose.
  public let port: UInt16

  /// From `0.0.0.0:8080`, `[::]:8080` or `localhost:8080`; nil for anything else, such as a name to resolve.
  init?(_ text: String) {
    guard let place = HostAndPort(text, defaultPort: nil) else { return nil }
    let ip = place.host == "localhost" ? "127.0.0.1" : place.host
    var storage = in6_addr()
    guard inet_pton(place.isBracketed ? AF_INET6 : AF_INET, ip, &storage) == 1 else { return nil }
    self.ip = ip
    port = place.port
  }

  public var description: String { ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}
