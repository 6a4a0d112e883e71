import API
import Configuration
import Crypto
import EventLoop
import HTTP
import Relay
import Service

/// The part of a configuration that can change while pushbox serves, with its keys loaded. One value for all
/// workers, each of which takes it at one point on its loop.
struct LiveSettings: Sendable {
  let gateways: GatewayFactory
  let verifier: RelayVerifier?
  let registration: RegistrationSettings
  let push: PushSettings
  let api: APISettings
  /// Nil: no admin page.
  let admin: AdminSettings?
  let http: HTTPServerOptions
  let limits: RequestLimitSettings
  /// Nil serves plain HTTP.
  var certificate: ServerCertificate?

  /// - Parameters:
  ///   - vault: keeps provider tokens across restarts.
  ///   - workers: between which limits of the whole process are divided.
  ///   - relayKeys: of 32 bytes each.
  ///   - previous: the settings that these are to replace.
  init(
    _ configuration: Configuration, _ credentials: Credentials, relayKeys: [[UInt8]],
    vault: ProviderTokenVault, workers: Int,
    replacing previous: LiveSettings? = nil
  ) throws(ServerError) {
    gateways = try GatewayFactory(
      configuration, credentials, vault: vault, reusing: previous?.gateways)
    verifier = try Self.verifier(configuration, relayKeys)
    registration = RegistrationSettings(
      authentication: ClientAuthentication(
        audiences: [configuration.server.publicURL.text, configuration.server.publicURL.origin]),
      policy: Self.policy(configuration.clients.auth), kinds: gateways.kinds)
    push = PushSettings(
      deadline: configuration.push.deadline,
      maximumInFlight: max(1, configuration.push.maxInFlight / workers),
      timeToLive: UInt64(max(0, configuration.push.ttl.wholeMilliseconds / 1000)))
    api = APISettings(
      basePath: configuration.server.publicURL.path, projectIDs: configuration.clients.projectIDs,
      version: Version.text, kinds: gateways.kinds, pushURL: configuration.server.publicURL.text,
      proxies: TrustedProxies(configuration.server.trustedProxies),
      corsOrigins: configuration.server.corsOrigins, origin: configuration.server.publicURL.origin,
      metrics: MetricsAccess(
        token: credentials.metricsToken?.exposed, addresses: configuration.metrics.allow))
    admin = try Self.admin(configuration, credentials)
    limits = RequestLimitSettings(
      registrations: configuration.limits.registrations, deletions: configuration.limits.deletions,
      failedSignatures: configuration.limits.failedSignatures, logins: configuration.limits.logins,
      exempt: configuration.limits.exempt)
    let host = configuration.server.publicURL.host
    certificate =
      if let tls = configuration.tls {
        try ServerCertificate(tls, host: host, replacing: previous?.certificate)
      } else {
        nil
      }
    http = Self.httpOptions(configuration.server, workers: workers)
  }

  private static func verifier(_ configuration: Configuration, _ relayKeys: [[UInt8]])
    throws(ServerError) -> RelayVerifier?
  {
    guard configuration.relay.validateSignatures else { return nil }
    guard !relayKeys.isEmpty else { throw ServerError("relay.public_key is missing") }
    do throws(CryptoError) {
      let age = (configuration.relay.maxTimestampAge ?? .zero).wholeMilliseconds / 1000
      var keys: [Ed25519PublicKey] = []
      for bytes in relayKeys { keys.append(try Ed25519PublicKey(rawBytes: bytes)) }
      return RelayVerifier(keys: keys, maximumAge: age)
    } catch {
      throw ServerError("relay.public_key: \(error)")
    }
  }

  private static func admin(
    _ configuration: Configuration, _ credentials: Credentials
  ) throws(ServerError) -> AdminSettings? {
    guard let admin = configuration.admin, let text = credentials.adminPasswordHash else { return nil }
    guard let password = PasswordHash(text.exposed) else {
      throw ServerError("admin.password_hash is not the output of: pushbox hash-password")
    }
    return AdminSettings(
      password: password, sessionTTL: UInt64(max(1, admin.sessionTTL.wholeMilliseconds / 1000)),
      isSecure: configuration.server.publicURL.isSecure && admin.listen.isEmpty,
      hasOwnAddress: !admin.listen.isEmpty)
  }

  private static func policy(_ auth: Configuration.Clients.Auth) -> ClientAuthenticationPolicy {
    switch auth {
    case .optional: .optional
    case .sticky: .sticky
    case .required: .required
    }
  }

  private static func httpOptions(_ server: Configuration.Server, workers: Int) -> HTTPServerOptions {
    var options = HTTPServerOptions()
    options.limits.body = server.maxBodyBytes
    options.headTimeout = server.headerTimeout
    options.bodyTimeout = server.bodyTimeout
    options.writeTimeout = server.writeTimeout
    options.maximumRequestsPerConnection = server.maxRequestsPerConnection
    options.idleTimeout = server.idleTimeout
    options.maximumConnections = max(1, server.maxConnections / workers)
    options.errorResponse = { APIHandler.errorResponse(status: $0, reason: $1) }
    return options
  }
}
