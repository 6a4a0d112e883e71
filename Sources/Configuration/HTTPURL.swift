/// An `http` or `https` URL without user, query and fragment (RFC 3986).
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
  public let isSecure: Bool
  /// Host name, IPv4 address, or IPv6 address without its brackets; lower case.
  public let host: String
  /// The port given, or the scheme's own.
  public let port: UInt16
  /// Empty, or `/` and segments, without a slash at the end.
  public let path: String
  /// As given, without a slash at the end.
  public let text: String
  /// `https://host` or `https://host:port`; the port only when it is not the scheme's own.
  public let origin: String

  public var description: String { text }

  struct Malformed: Error, Equatable {
    let reason: String
  }

  init(_ text: String) throws(Malformed) {
    guard let schemeEnd = text.firstRange(of: "://") else {
      throw Malformed(reason: "expected http:// or https://")
    }
    let scheme = text[..<schemeEnd.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw Malformed(reason: "expected http:// or https://")
    }
    let rest = text[schemeEnd.upperBound...]
    if rest.contains("?") || rest.contains("#") { throw Malformed(reason: "expected no '?' and no '#'") }
    let authority = rest.prefix { $0 != "/" }
    if authority.contains("@") {
      throw Malformed(reason: "expected no user name or password before the host")
    }
    var path = rest[authority.endIndex...]
    while path.hasSuffix("/") { path = path.dropLast() }
    try HTTPURL.check(path: path)

    isSecure = scheme == "https"
    let standardPort: UInt16 = isSecure ? 443 : 80
    guard let place = HostAndPort(String(authority), defaultPort: standardPort), place.port > 0 else {
      throw Malformed(reason: "expected a host and, if need be, ':' and a port from 1 to 65535")
    }
    host = place.host
    port = place.port
    self.path = String(path)
    let bracketed = host.contains(":") ? "[\(host)]" : host
    origin = "\(scheme)://\(bracketed)" + (port == standardPort ? "" : ":\(port)")
    self.text = String(text[..<path.endIndex])
  }

  private static func check(path: Substring) throws(Malformed) {
    for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      // Segments that a proxy could normalise away, or encode in another way, would not match the routes.
      guard !segment.isEmpty, segment != ".", segment != "..",
        segment.utf8.allSatisfy({ HostAndPort.isAlphanumeric($0) || "-._~".utf8.contains($0) })
      else {
        throw Malformed(reason: "expected path segments of letters, digits and - . _ ~")
      }
    }
  }
}

/// `host`, `host:port`, `[v6]` or `[v6]:port`.
struct HostAndPort {
  let host: String
  let port: UInt16
  let isBracketed: Bool

  /// nil when malformed, or when there is neither a port nor `defaultPort`.
  init?(_ text: String, defaultPort: UInt16?) {
    var rest = text[...]
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<end].lowercased()
      rest = rest[rest.index(after: end)...]
      isBracketed = true
      guard host.contains(":"), host.utf8.allSatisfy({ HostAndPort.isHexDigit($0) || ":.".utf8.contains($0) })
      else {
        return nil
      }
    } else {
      let name = rest.prefix { $0 != ":" }
      host = name.lowercased()
      rest = rest[name.endIndex...]
      isBracketed = false
      guard !host.isEmpty, host.utf8.count <= 253,
        host.utf8.allSatisfy({ HostAndPort.isAlphanumeric($0) || "-.".utf8.contains($0) })
      else { return nil }
    }
    if rest.isEmpty, let defaultPort {
      port = defaultPort
    } else {
      let digits = rest.dropFirst()
      guard rest.hasPrefix(":"), !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let number = UInt16(digits)
      else { return nil }
      port = number
    }
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }
}
