import Bytes

/// `http://user:password@host:port` of an outbound proxy (RFC 3986 with userinfo).
enum ProxyURL {
  struct Malformed: Error, Equatable {
    let reason: String
  }

  static func parse(_ text: String) throws(Malformed) -> Configuration.Outbound.Proxy {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else {
      throw Malformed(reason: "expected http://host:port or http://user:password@host:port")
    }
    var rest = text.dropFirst(scheme.count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    var user: String?
    var password: Secret?
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(parts[0]), !name.isEmpty, isPrintable(name) else {
        throw Malformed(reason: "its user name cannot be read; percent-encode special characters")
      }
      user = name
      if parts.count > 1 {
        guard let decoded = PercentEncoding.decode(parts[1]), isPrintable(decoded) else {
          throw Malformed(reason: "its password cannot be read; percent-encode special characters")
        }
        password = Secret(decoded)
      }
      rest = rest[rest.index(after: at)...]
    }
    guard let place = HostAndPort(String(rest), defaultPort: 0), place.port > 0 else {
      throw Malformed(reason: "expected a host, ':' and a port from 1 to 65535")
    }
    return Configuration.Outbound.Proxy(host: place.host, port: place.port, user: user, password: password)
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
