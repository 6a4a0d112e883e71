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
    let key: Secret
    let authorities: [UInt8]
    let token: APNsProviderToken
    let topic: String
    let endpoints: [TokenKind: GatewayEndpoint]
    let tls: TLSContext
    let maximumConnections: Int
  }
  struct Google: Sendable {
    let configuration: Configuration.FCM
    let account: Secret
    let authorities: [UInt8]
    let source: FCMAccessTokenSource
    let endpoint: GatewayEndpoint
    let tokenEndpoint: GatewayEndpoint
    let tls: TLSContext
  }
  let apple: Apple?
  let google: Google?
  private let oversize: OversizePolicy

  /// Loads keys and trust; throws a `ServerError` that names the configuration key at fault.
  ///
  /// - Parameter previous: whose provider and access tokens go on when they are of the same credentials:
  ///   Apple throttles whoever presents a new one too soon.
  init(_ configuration: Configuration, _ credentials: Credentials, reusing previous: GatewayFactory? = nil)
    throws(ServerError)
  {
    oversize = configuration.push.oversize == .trim ? .trim : .reject
    apple =
      if let apns = configuration.apns, let key = credentials.apnsKey {
        try Self.apple(apns, key, previous?.apple)
      } else {
        nil
      }
    google =
      if let fcm = configuration.fcm, let account = credentials.fcmServiceAccount {
        try Self.google(fcm, account, previous?.google)
      } else { nil }
  }

  /// The kinds whose gateways are made from other settings than those of `previous`.
  func changedKinds(since previous: GatewayFactory) -> Set<TokenKind> {
    var kinds: Set<TokenKind> = []
    let isOtherPolicy = oversize != previous.oversize
    if isOtherPolicy || apple?.configuration != previous.apple?.configuration
      || apple?.key != previous.apple?.key || apple?.authorities != previous.apple?.authorities
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
          http: endpoint.makeClient(loop: loop, tls: apple.tls, configuration: settings),
          topic: apple.topic, token: apple.token, oversize: oversize)
      }
    }
    if let google, kinds.contains(.fcm) {
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
    _ apns: Configuration.APNs, _ key: Secret, _ previous: Apple?
  ) throws(ServerError) -> Apple {
    let privateKey: P256PrivateKey
    do throws(CryptoError) {
      privateKey = try P256PrivateKey(pem: key.exposed)
    } catch {
      throw ServerError("apns.key: \(error); it must be the .p8 file from Apple's developer site")
    }
    var token: APNsProviderToken?
    if let previous, previous.key == key, previous.configuration.teamID == apns.teamID,
      previous.configuration.keyID == apns.keyID
    {
      token = previous.token
    }
    return Apple(
      configuration: apns, key: key, authorities: try authorities(apns.caFile, "apns.ca_file"),
      token: token
        ?? APNsProviderToken(
          teamID: apns.teamID, keyID: apns.keyID, key: privateKey, clock: { WallClock.seconds() }),
      topic: apns.topic,
      endpoints: [
        .apns: try endpoint(apns.productionEndpoint, "apns.production_endpoint"),
        .apnsSandbox: try endpoint(apns.sandboxEndpoint, "apns.sandbox_endpoint"),
      ],
      tls: try tls(apns.caFile, "apns.ca_file"),
      maximumConnections: apns.maxConnections)
  }

  private static func google(
    _ fcm: Configuration.FCM, _ account: Secret, _ previous: Google?
  ) throws(ServerError) -> Google {
    let serviceAccount: ServiceAccount
    do throws(ServiceAccountError) {
      serviceAccount = try ServiceAccount(json: Array(account.exposed.utf8))
    } catch {
      throw ServerError("fcm.service_account: \(error)")
    }
    return Google(
      configuration: fcm, account: account, authorities: try authorities(fcm.caFile, "fcm.ca_file"),
      source: previous?.account == account
        ? previous?.source ?? FCMAccessTokenSource(account: serviceAccount)
        : FCMAccessTokenSource(account: serviceAccount),
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

  /// The content of a file of authorities: it may be renewed under the same name.
  private static func authorities(_ caFile: String?, _ key: String) throws(ServerError) -> [UInt8] {
    guard let caFile else { return [] }
    do throws(ConfigurationError) {
      return try ConfigurationFile.read(caFile).bytes
    } catch {
      throw ServerError("\(key): " + error.problems.map(\.message).joined(separator: "; "))
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
