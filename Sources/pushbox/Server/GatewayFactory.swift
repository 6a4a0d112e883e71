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
  private struct Apple: Sendable {
    let token: APNsProviderToken
    let topic: String
    let endpoints: [TokenKind: GatewayEndpoint]
    let tls: TLSContext
    let maximumConnections: Int
  }
  private struct Google: Sendable {
    let source: FCMAccessTokenSource
    let endpoint: GatewayEndpoint
    let tokenEndpoint: GatewayEndpoint
    let tls: TLSContext
  }
  private let apple: Apple?
  private let google: Google?
  private let oversize: OversizePolicy

  /// Loads keys and trust; throws a `ServerError` that names the configuration key at fault.
  ///
  /// - Parameter vault: keeps provider tokens across restarts; nil where nothing is pushed.
  init(
    _ configuration: Configuration, _ credentials: Credentials, vault: ProviderTokenVault? = nil
  ) throws(ServerError) {
    oversize = configuration.push.oversize == .trim ? .trim : .reject
    apple =
      if let apns = configuration.apns, let key = credentials.apnsKey {
        try Self.apple(apns, key, vault)
      } else { nil }
    google =
      if let fcm = configuration.fcm, let account = credentials.fcmServiceAccount {
        try Self.google(fcm, account)
      } else { nil }
  }

  /// The kinds of device token that can be served.
  var kinds: Set<TokenKind> {
    var kinds: Set<TokenKind> = []
    if apple != nil { kinds.formUnion([.apns, .apnsSandbox]) }
    if google != nil { kinds.insert(.fcm) }
    return kinds
  }

  /// The gateways of one worker. Call on its loop.
  func makeGateways(on loop: EventLoop) -> GatewaySet {
    var gateways: [TokenKind: any Gateway] = [:]
    if let apple {
      for (kind, endpoint) in apple.endpoints {
        var settings = HTTP2Client.Configuration()
        settings.maxConnections = apple.maximumConnections
        gateways[kind] = APNsClient(
          loop: loop, endpoint: endpoint,
          http: endpoint.makeClient(loop: loop, tls: apple.tls, configuration: settings),
          topic: apple.topic, token: apple.token, oversize: oversize)
      }
    }
    if let google {
      gateways[.fcm] = FCMClient(
        loop: loop, endpoint: google.endpoint,
        http: google.endpoint.makeClient(
          loop: loop, tls: google.tls, configuration: FCMClient.connectionConfiguration),
        source: google.source,
        tokenHTTP: google.tokenEndpoint.makeClient(loop: loop, tls: google.tls), oversize: oversize)
    }
    return GatewaySet(gateways)
  }

  private static func apple(
    _ apns: Configuration.APNs, _ key: Secret, _ vault: ProviderTokenVault?
  ) throws(ServerError) -> Apple {
    let privateKey: P256PrivateKey
    do throws(CryptoError) {
      privateKey = try P256PrivateKey(pem: key.exposed)
    } catch {
      throw ServerError("apns.key: \(error); it must be the .p8 file from Apple's developer site")
    }
    return Apple(
      token: APNsProviderToken(
        teamID: apns.teamID, keyID: apns.keyID, key: privateKey,
        restored: vault?.load(teamID: apns.teamID, keyID: apns.keyID), clock: { WallClock.seconds() },
        onIssue: { vault?.save($0, teamID: apns.teamID, keyID: apns.keyID) }),
      topic: apns.topic,
      endpoints: [
        .apns: try endpoint(apns.productionEndpoint, "apns.production_endpoint"),
        .apnsSandbox: try endpoint(apns.sandboxEndpoint, "apns.sandbox_endpoint"),
      ],
      tls: try tls(apns.caFile, "apns.ca_file"),
      maximumConnections: apns.maxConnections)
  }

  private static func google(_ fcm: Configuration.FCM, _ account: Secret) throws(ServerError) -> Google {
    let serviceAccount: ServiceAccount
    do throws(ServiceAccountError) {
      serviceAccount = try ServiceAccount(json: Array(account.exposed.utf8))
    } catch {
      throw ServerError("fcm.service_account: \(error)")
    }
    return Google(
      source: FCMAccessTokenSource(account: serviceAccount),
      endpoint: try endpoint(fcm.endpoint, "fcm.endpoint"),
      tokenEndpoint: serviceAccount.tokenEndpoint.endpoint,
      tls: try tls(fcm.caFile, "fcm.ca_file"))
  }

  private static func endpoint(_ url: HTTPURL, _ key: String) throws(ServerError) -> GatewayEndpoint {
    do throws(GatewayEndpointError) {
      return try GatewayEndpoint(url: url.text)
    } catch {
      throw ServerError("\(key): \(error)")
    }
  }

  private static func tls(_ caFile: String?, _ key: String) throws(ServerError) -> TLSContext {
    do throws(TLSError) {
      return try GatewayEndpoint.tlsContext(trust: caFile.map { .file($0) } ?? .system)
    } catch {
      throw ServerError("\(key): \(error)")
    }
  }
}
