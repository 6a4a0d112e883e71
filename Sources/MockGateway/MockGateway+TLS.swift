import Crypto
import TLS

extension MockGateway {
  /// What a server shows.
  public enum ServerCertificate: Sendable, CaseIterable {
    case valid, expired, otherHost, unknownAuthority
  }

  /// Where a push certificate serves.
  public typealias PushEnvironment = TLSIdentity.PushEnvironment

  /// What becomes of new connections.
  public enum ConnectionFault: Sendable {
    /// The handshake breaks off in the middle of a record.
    case truncatedTLS
    /// After the handshake come bytes that are no HTTP/2.
    case garbage
  }

  /// Shows another certificate to new connections; requests for client certificates end.
  public func setServerCertificate(
    _ certificate: ServerCertificate, at service: Service
  ) throws(MockGatewayError) {
    let tls = try certificates.serverContext(certificate)
    _ = onLoop { $0[service].tls = tls }
  }

  /// Mistreats new connections; nil serves them again.
  public func setConnectionFault(_ fault: ConnectionFault?, at service: Service) {
    _ = onLoop { $0[service].fault = fault }
  }

  /// A certificate for clients, as an Apple developer gets it for an app.
  public func issueClientCertificate(
    topic: String, isExpired: Bool = false,
    environments: Set<PushEnvironment> = [.sandbox, .production]
  ) throws(MockGatewayError) -> IssuedCertificate {
    try certificates.clientCertificate(topic: topic, isExpired: isExpired, environments: environments)
  }
}
