import Bytes
import Crypto
import EventLoop
import TLS

/// A certificate for each server, all from one authority.
struct ServerCertificates {
  /// Seconds that they are valid, to either side of now.
  private static let validity = 30 * 86_400

  let authorityPEM: String
  private let authority: LoopbackCertificateAuthority

  init() throws(MockGatewayError) {
    do throws(CryptoError) {
      authority = try LoopbackCertificateAuthority(validity: Self.range)
    } catch {
      throw .credentials(error.description)
    }
    authorityPEM = authority.certificatePEM
  }

  /// - Parameter verifiesClients: whether clients must show a certificate of this authority.
  func serverContext(
    _ certificate: MockGateway.ServerCertificate = .valid, verifiesClients: Bool = false
  ) throws(MockGatewayError) -> TLSContext {
    let leaf: IssuedCertificate
    do throws(CryptoError) {
      switch certificate {
      case .valid: leaf = try authority.issue(names: ["localhost", MockGateway.host], validity: Self.range)
      case .expired:
        leaf = try authority.issue(
          names: ["localhost", MockGateway.host], validity: Self.range.lowerBound..<Self.now - 3600)
      case .otherHost: leaf = try authority.issue(names: ["gateway.example"], validity: Self.range)
      case .unknownAuthority:
        leaf = try LoopbackCertificateAuthority(validity: Self.range)
          .issue(names: ["localhost", MockGateway.host], validity: Self.range)
      }
    } catch {
      throw .credentials(error.description)
    }
    do throws(TLSError) {
      return try TLSContext.server(
        certificateChain: leaf.certificatePEM, privateKey: leaf.privateKeyPEM, protocols: ["h2"],
        clientTrust: verifiesClients ? .pem(authorityPEM) : nil)
    } catch {
      throw .setUp(error.description)
    }
  }

  func clientCertificate(
    topic: String, isExpired: Bool, environments: Set<TLSIdentity.PushEnvironment>
  ) throws(MockGatewayError) -> IssuedCertificate {
    do throws(CryptoError) {
      return try authority.issue(
        names: ["push"], validity: isExpired ? Self.range.lowerBound..<Self.now - 3600 : Self.range,
        userID: topic, marks: environments.map(\.objectIdentifier).sorted())
    } catch {
      throw .credentials(error.description)
    }
  }

  private static var now: Int { Int(WallClock.seconds()) }

  private static var range: Range<Int> {
    (now - validity)..<(now + validity)
  }
}

/// The servers of one mock gateway. Loop thread only, but for `init`.
final class ServerSet {
  /// In the order of `Service`.
  let servers: [MockServer]
  let accessTokens: AccessTokens
  let apnsVerifier: APNsTokenVerifier
  let oauth: OAuthHandler

  init(
    loop: EventLoop, configuration: MockGateway.Configuration, credentials: MockGateway.Credentials,
    certificates: ServerCertificates, log: DeliveryLog, reactions: ReactionBook,
    switches: Locked<APNsSwitches>
  ) throws(MockGatewayError) {
    let tokens = AccessTokens()
    let verifier: APNsTokenVerifier
    let oauth: OAuthHandler
    do throws(CryptoError) {
      verifier = APNsTokenVerifier(
        publicKey: try credentials.apnsKey.publicKey(), keyID: credentials.apnsKeyID,
        teamID: credentials.apnsTeamID)
      oauth = OAuthHandler(
        publicKey: try credentials.serviceAccountKey.publicKey(), keyID: credentials.serviceAccountKeyID,
        email: credentials.serviceAccountEmail, lifetime: configuration.accessTokenLifetime,
        tokens: tokens, clock: configuration.clock)
    } catch {
      throw .credentials(error.description)
    }
    let apns = APNsHandler(
      verifier: configuration.requiresClientCertificate ? nil : verifier, topic: credentials.apnsTopic,
      clock: configuration.clock, switches: switches)
    let fcm = FCMHandler(projectID: credentials.projectID, tokens: tokens, clock: configuration.clock)
    let numbers = ConnectionNumbers()
    var servers: [MockServer] = []
    for service in MockGateway.Service.allCases {
      let handler: any RequestHandler =
        switch service {
        case .apnsProduction, .apnsSandbox: apns
        case .fcm: fcm
        case .oauth: oauth
        }
      let context = ServerContext(
        loop: loop, service: service, handler: handler, log: log, reactions: reactions, switches: switches)
      let tls = try certificates.serverContext(
        verifiesClients: service.isAPNs && configuration.requiresClientCertificate)
      do throws(SystemError) {
        servers.append(
          try MockServer(
            context: context, port: configuration.ports[service] ?? 0, tls: tls, numbers: numbers))
      } catch {
        throw .network(error)
      }
    }
    self.servers = servers
    self.oauth = oauth
    apnsVerifier = verifier
    accessTokens = tokens
    oauth.audience = "https://\(servers[MockGateway.Service.oauth.rawValue].address)\(OAuthHandler.path)"
  }

  func serviceAccountJSON(_ credentials: MockGateway.Credentials) throws(MockGatewayError) -> [UInt8] {
    do throws(CryptoError) {
      return try credentials.serviceAccountJSON(tokenURI: oauth.audience)
    } catch {
      throw .credentials(error.description)
    }
  }

  /// Begins to accept; gives what kept it from that.
  func start() -> SystemError? {
    do throws(SystemError) {
      for server in servers { try server.start() }
      return nil
    } catch {
      return error
    }
  }

  func close() {
    for server in servers { server.close() }
  }

  subscript(service: MockGateway.Service) -> MockServer { servers[service.rawValue] }
}
