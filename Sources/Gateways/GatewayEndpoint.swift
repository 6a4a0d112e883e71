import EventLoop
import HTTP
import TLS

/// Why a text is no gateway endpoint.
public enum GatewayEndpointError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It does not begin with `https://`.
  case notHTTPS
  /// There is no host, or one with characters that no host name or address has.
  case invalidHost
  /// The port is no number from 1 to 65535.
  case invalidPort
  /// Something follows the host and port.
  case notOnlyHost

  public var description: String {
    let problem =
      switch self {
      case .notHTTPS: "it must begin with https://"
      case .invalidHost: "its host must be a name, an IPv4 address or an IPv6 address in brackets"
      case .invalidPort: "its port must be a number from 1 to 65535"
      case .notOnlyHost: "nothing may follow the host and port"
      }
    return
      "not a gateway address: \(problem); write it as https://api.push.apple.com or https://localhost:8443"
  }
}

/// Where a gateway is to be reached: always HTTP/2 over TLS.
public struct GatewayEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// Apple's production and sandbox gateways ("Sending notification requests to APNs").
  public static let apns = GatewayEndpoint(checkedHost: "api.push.apple.com", port: 443)
  public static let apnsSandbox = GatewayEndpoint(checkedHost: "api.sandbox.push.apple.com", port: 443)
  /// Google's gateway ("Send a message using FCM HTTP v1 API").
  public static let fcm = GatewayEndpoint(checkedHost: "fcm.googleapis.com", port: 443)

  /// A name or an IP address, without brackets.
  public let host: String
  public let port: UInt16
  /// `host:port`, for messages.
  public let description: String
  /// The host, and the port unless it is 443: the `:authority` of requests.
  public let authority: String

  /// Reads `https://host[:port]`, with or without a slash at its end.
  public init(url: String) throws(GatewayEndpointError) {
    let scheme = "https://"
    guard url.prefix(scheme.count).lowercased() == scheme else { throw .notHTTPS }
    let rest = url.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let tail = rest.dropFirst(authority.count)
    guard tail.isEmpty || tail == "/" else { throw .notOnlyHost }
    let host: Substring
    let portText: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
      portText = authority[authority.index(after: end)...]
      guard SocketAddress(ip: String(host), port: 0)?.isIPv6 == true else { throw .invalidHost }
    } else {
      host = authority.prefix { $0 != ":" }
      portText = authority.dropFirst(host.count)
      guard Self.isName(host) else { throw .invalidHost }
    }
    var port: UInt16 = 443
    if !portText.isEmpty {
      let digits = portText.dropFirst()
      guard portText.hasPrefix(":"), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let number = UInt16(digits), number > 0
      else { throw .invalidPort }
      port = number
    }
    self.init(checkedHost: host.lowercased(), port: port)
  }

  private init(checkedHost host: String, port: UInt16) {
    self.host = host
    self.port = port
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    description = "\(bracketed):\(port)"
    authority = port == 443 ? bracketed : description
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// TLS for connections to gateways: verifies the server and speaks HTTP/2 only.
  ///
  /// - Parameter identity: our certificate, where the gateway knows us by one.
  public static func tlsContext(
    trust: TLSContext.Trust = .system, identity: TLSIdentity? = nil
  ) throws(TLSError) -> TLSContext {
    try .client(trust: trust, protocols: ["h2"], identity: identity)
  }

  /// A client of this endpoint for one loop; it connects with the first request.
  ///
  /// A server that does not choose HTTP/2 by ALPN (RFC 9113 section 3.2) is a failure to connect.
  ///
  /// - Parameters:
  ///   - tls: made by `tlsContext`, so that it offers `h2`.
  ///   - proxy: to go through; nil connects directly.
  public func makeClient(
    loop: EventLoop, tls: TLSContext, proxy: OutboundProxy? = nil,
    configuration: HTTP2Client.Configuration = .init()
  ) -> HTTP2Client {
    var configuration = configuration
    configuration.requiresALPN = true
    let timeouts = configuration.connectTimeouts
    return HTTP2Client(loop: loop, configuration: configuration) { [host, port] loop, delegate in
      let transport = SocketTransport.connect(
        loop: loop, host: host, port: port, timeouts: timeouts, proxy: proxy,
        makeLayer: { tls.makeLayer(fd: $0, serverName: host) })
      transport.delegate = delegate
      return transport
    }
  }
}
