import Bytes
import Configuration
import Crypto
import EventLoop
import Gateways
import HTTP
import Service
import Store
import TLS

/// Makes the gateways of each worker from what all workers share: TLS settings and credentials.
struct GatewayFactory: Sendable {
  struct Apple: Sendable {
    let configuration: Configuration.APNs
    let key: Secret?
    let certificate: Credentials.APNsCertificate?
    let authorities: [UInt8]
    /// Nil when a certificate stands for us.
    let token: APNsProviderToken?
    let topic: String
    /// Seconds since the epoch; nil without a certificate.
    let certificateExpiry: Int?
    let endpoints: [TokenKind: GatewayEndpoint]
    let tls: TLSContext
    let maximumConnections: Int
  }
  struct Google: Sendable {
    let configuration: Configuration.FCM
    let account: Secret
    /// As Google names it.
    let accountName: String
    let authorities: [UInt8]
    let source: FCMAccessTokenSource
    let endpoint: GatewayEndpoint
    let tokenEndpoint: GatewayEndpoint
    let tls: TLSContext
  }
  let apple: Apple?
  let google: Google?
  private let oversize: OversizePolicy
  private let outbound: Configuration.Outbound
  let proxy: OutboundProxy?
  /// Content of `outbound.ca_file`.
  private let addedAuthorities: [UInt8]

  /// Loads keys and trust; throws a `ServerError` that names the configuration key at fault.
  ///
  /// - Parameters:
  ///   - vault: keeps provider tokens across restarts; nil where nothing is pushed.
  ///   - tokenRefreshAge: see `APNsProviderToken`.
  ///   - previous: whose provider and access tokens go on when they are of the same credentials: Apple
  ///     throttles whoever presents a new one too soon.
  init(
    _ configuration: Configuration, _ credentials: Credentials, vault: ProviderTokenVault? = nil,
    tokenRefreshAge: UInt64 = APNsProviderToken.refreshAge, reusing previous: GatewayFactory? = nil
  ) throws(ServerError) {
    oversize = configuration.push.oversize == .trim ? .trim : .reject
    outbound = configuration.outbound
    proxy = configuration.outbound.proxy.map(Self.proxy)
    let trust = Trust(outbound: configuration.outbound)
    addedAuthorities = try Self.authorities(configuration.outbound.caFile, "outbound.ca_file")
    apple =
      if let apns = configuration.apns {
        try Self.apple(apns, credentials, trust, vault, tokenRefreshAge, previous?.apple)
      } else {
        nil
      }
    google =
      if let fcm = configuration.fcm, let account = credentials.fcmServiceAccount {
        try Self.google(fcm, account, trust, previous?.google)
      } else { nil }
  }

  /// The kinds whose gateways are made from other settings than those of `previous`.
  func changedKinds(since previous: GatewayFactory) -> Set<TokenKind> {
    var kinds: Set<TokenKind> = []
    let isOtherPolicy =
      oversize != previous.oversize || outbound != previous.outbound
      || addedAuthorities != previous.addedAuthorities
    if isOtherPolicy || apple?.configuration != previous.apple?.configuration
      || apple?.key != previous.apple?.key || apple?.certificate != previous.apple?.certificate
      || apple?.authorities != previous.apple?.authorities
    {
      kinds.formUnion([.apns, .apnsSandbox])
    }
    if isOtherPolicy || google?.configuration != previous.google?.configuration
      || google?.account != previous.google?.account || google?.authorities != previous.google?.authorities
    {
      kinds.insert(.fcm)
    }
    return kinds
  }

  /// The kinds of device token that can be served.
  var kinds: Set<TokenKind> {
    var kinds: Set<TokenKind> = []
    if apple != nil { kinds.formUnion([.apns, .apnsSandbox]) }
    if google != nil { kinds.insert(.fcm) }
    return kinds
  }

  /// The gateways of one worker, of those kinds that are configured. Call on its loop.
  func makeGateways(on loop: EventLoop, of kinds: Set<TokenKind> = Set(TokenKind.allCases)) -> GatewaySet {
    var gateways: [TokenKind: any Gateway] = [:]
    if let apple {
      for (kind, endpoint) in apple.endpoints where kinds.contains(kind) {
        var settings = HTTP2Client.Configuration()
        settings.maxConnections = apple.maximumConnections
        gateways[kind] = APNsClient(
          loop: loop, endpoint: endpoint,
          http: endpoint.makeClient(loop: loop, tls: apple.tls, proxy: proxy, configuration: settings),
          topic: apple.topic, token: apple.token, oversize: oversize)
      }
    }
    if let google, kinds.contains(.fcm) {
      gateways[.fcm] = FCMClient(
        loop: loop, endpoint: google.endpoint,
        http: google.endpoint.makeClient(
          loop: loop, tls: google.tls, proxy: proxy, configuration: FCMClient.connectionConfiguration),
        source: google.source,
        tokenHTTP: google.tokenEndpoint.makeClient(loop: loop, tls: google.tls, proxy: proxy),
        oversize: oversize)
    }
    return GatewaySet(gateways)
  }

  private static func apple(
    _ apns: Configuration.APNs, _ credentials: Credentials, _ trust: Trust, _ vault: ProviderTokenVault?,
    _ tokenRefreshAge: UInt64, _ previous: Apple?
  ) throws(ServerError) -> Apple {
    var token: APNsProviderToken?
    var identity: TLSIdentity?
    switch apns.authentication {
    case .token(_, let keyID, let teamID):
      guard let key = credentials.apnsKey else { throw ServerError("apns.key is missing") }
      if let previous, previous.key == key, let kept = previous.token, kept.teamID == teamID,
        kept.keyID == keyID
      {
        token = kept
      } else {
        token = try providerToken(key, teamID: teamID, keyID: keyID, vault, tokenRefreshAge)
      }
    case .certificate:
      guard let certificate = credentials.apnsCertificate else {
        throw ServerError("apns.certificate is missing")
      }
      let new = try self.identity(certificate)
      // As with the server's own: an expired certificate never replaces what works.
      let now = Int(WallClock.seconds())
      if let previous, let expiry = new.expiry, expiry < now,
        previous.certificateExpiry.map({ $0 >= now }) ?? true
      {
        throw ServerError("apns.certificate: the push certificate has expired")
      }
      identity = new
    }
    guard let topic = apns.topic ?? identity?.subjectUserID else {
      throw ServerError(
        "apns.topic is missing, and the certificate names none: set it to the app's bundle ID")
    }
    return Apple(
      configuration: apns, key: credentials.apnsKey, certificate: credentials.apnsCertificate,
      authorities: try authorities(apns.caFile, "apns.ca_file"), token: token, topic: topic,
      certificateExpiry: identity?.expiry,
      endpoints: [
        .apns: try endpoint(apns.productionEndpoint, "apns.production_endpoint"),
        .apnsSandbox: try endpoint(apns.sandboxEndpoint, "apns.sandbox_endpoint"),
      ],
      tls: try trust.context(apns.caFile, "apns.ca_file", identity: identity),
      maximumConnections: apns.maxConnections)
  }

  private static func providerToken(
    _ key: Secret, teamID: String, keyID: String, _ vault: ProviderTokenVault?, _ refreshAge: UInt64
  ) throws(ServerError) -> APNsProviderToken {
    do throws(CryptoError) {
      return APNsProviderToken(
        teamID: teamID, keyID: keyID, key: try P256PrivateKey(pem: key.exposed),
        restored: vault?.load(teamID: teamID, keyID: keyID), refreshAge: refreshAge,
        clock: { WallClock.seconds() },
        onIssue: { vault?.save($0, teamID: teamID, keyID: keyID) })
    } catch {
      throw ServerError("apns.key: \(error); it must be the .p8 file from Apple's developer site")
    }
  }

  static func identity(_ certificate: Credentials.APNsCertificate) throws(ServerError) -> TLSIdentity {
    do throws(TLSError) {
      switch certificate {
      case .pkcs12(let base64, let password):
        return try TLSIdentity(
          pkcs12: Base64.decode(base64.exposed.utf8) ?? [], password: password.exposed)
      case .pem(let chain, let key):
        return try TLSIdentity(certificateChain: chain.exposed, privateKey: key.exposed)
      }
    } catch {
      throw ServerError("apns.certificate: \(error)")
    }
  }

  private static func google(
    _ fcm: Configuration.FCM, _ account: Secret, _ trust: Trust, _ previous: Google?
  ) throws(ServerError) -> Google {
    let serviceAccount: ServiceAccount
    do throws(ServiceAccountError) {
      serviceAccount = try ServiceAccount(json: Array(account.exposed.utf8))
    } catch {
      throw ServerError("fcm.service_account: \(error)")
    }
    return Google(
      configuration: fcm, account: account, accountName: serviceAccount.clientEmail,
      authorities: try authorities(fcm.caFile, "fcm.ca_file"),
      source: previous?.account == account
        ? previous?.source ?? FCMAccessTokenSource(account: serviceAccount)
        : FCMAccessTokenSource(account: serviceAccount),
      endpoint: try endpoint(fcm.endpoint, "fcm.endpoint"),
      tokenEndpoint: serviceAccount.tokenEndpoint.endpoint,
      tls: try trust.context(fcm.caFile, "fcm.ca_file", identity: nil))
  }

  private static func endpoint(_ url: HTTPURL, _ key: String) throws(ServerError) -> GatewayEndpoint {
    do throws(GatewayEndpointError) {
      return try GatewayEndpoint(url: url.text)
    } catch {
      throw ServerError("\(key): \(error)")
    }
  }

  /// The content of a file of authorities: it may be renewed under the same name.
  private static func authorities(_ caFile: String?, _ key: String) throws(ServerError) -> [UInt8] {
    guard let caFile else { return [] }
    do throws(ConfigurationError) {
      return try ConfigurationFile.read(caFile).bytes
    } catch {
      throw ServerError("\(key): " + error.problems.map(\.message).joined(separator: "; "))
    }
  }

  static func proxy(_ proxy: Configuration.Outbound.Proxy) -> OutboundProxy {
    OutboundProxy(
      host: proxy.host, port: proxy.port,
      credentials: proxy.user.map { .init(user: $0, password: proxy.password?.exposed ?? "") })
  }
}

/// Whom connections to gateways trust.
private struct Trust {
  let outbound: Configuration.Outbound

  /// - Parameter file: authorities instead of all others, from the configuration key `key`.
  func context(_ file: String?, _ key: String, identity: TLSIdentity?) throws(ServerError) -> TLSContext {
    let trust: TLSContext.Trust =
      if let file { .file(file) } else if let added = outbound.caFile { .systemAnd(file: added) } else {
        .system
      }
    do throws(TLSError) {
      return try GatewayEndpoint.tlsContext(trust: trust, identity: identity)
    } catch {
      throw ServerError("\(file == nil ? "outbound.ca_file" : key): \(error)")
    }
  }
}
