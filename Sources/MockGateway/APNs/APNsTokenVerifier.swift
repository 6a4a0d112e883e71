import Crypto
import JSON

/// Verifies provider tokens (Apple, "Establishing a token-based connection to APNs"). Loop-owned.
///
/// What came of a token is remembered, so that a push costs a comparison and not a verification.
final class APNsTokenVerifier {
  /// Seconds after which a token is refused.
  static let maximumAge: UInt64 = 3600
  /// Seconds that a provider has to keep a token.
  static let updateInterval: UInt64 = 20 * 60
  /// Seconds that a token may lie in the future.
  static let clockTolerance: UInt64 = 60
  private static let cacheLimit = 64

  /// What is in a token.
  private enum Content {
    case genuine(issuedAt: UInt64)
    case forged
  }

  /// By key ID.
  private var keys: [String: P256PublicKey]
  private let teamID: String
  private var cache: [String: Content] = [:]
  /// The field of the last request, which the next one repeats as a rule.
  private var last: (authorization: String, content: Content)?
  /// The token in use and since when.
  private var current: (authorization: String, since: UInt64)?

  init(publicKey: P256PublicKey, keyID: String, teamID: String) {
    keys = [keyID: publicKey]
    self.teamID = teamID
  }

  /// Takes tokens of a further key of the team, or of `key` nil no longer any of that ID.
  func setKey(_ key: P256PublicKey?, id: String) {
    keys[id] = key
    cache = [:]
    last = nil
  }

  /// Why a request with this `authorization` field is refused at `now`; nil when it is not.
  func refusal(
    of authorization: String?, now: UInt64, limitsUpdates: Bool
  ) -> MockGateway.APNsReason? {
    guard let authorization, authorization.utf8.count > 7,
      authorization.prefix(7).lowercased() == "bearer "
    else { return .missingProviderToken }
    guard case .genuine(let issuedAt) = content(authorization) else { return .invalidProviderToken }
    guard issuedAt <= now + Self.clockTolerance else { return .invalidProviderToken }
    guard issuedAt + Self.maximumAge >= now else { return .expiredProviderToken }
    guard let current, current.authorization != authorization else {
      if current == nil { current = (authorization, now) }
      return nil
    }
    if limitsUpdates, now < current.since + Self.updateInterval { return .tooManyProviderTokenUpdates }
    self.current = (authorization, now)
    return nil
  }

  private func content(_ authorization: String) -> Content {
    if let last, last.authorization == authorization { return last.content }
    let content = cache[authorization] ?? verify(authorization)
    if cache.count >= Self.cacheLimit { cache.removeAll() }
    cache[authorization] = content
    last = (authorization, content)
    return content
  }

  private func verify(_ authorization: String) -> Content {
    guard let parts = try? JWT.Parts(compact: authorization.utf8.dropFirst(7)),
      let header = try? JSON.parse(parts.header), let claims = try? JSON.parse(parts.claims),
      header["alg"]?.stringValue == "ES256",
      let publicKey = header["kid"]?.stringValue.flatMap({ keys[$0] }),
      claims["iss"]?.stringValue == teamID,
      let issuedAt = claims["iat"]?.uint32Value,
      publicKey.verify(signature: parts.signature, message: parts.signingInput)
    else { return .forged }
    return .genuine(issuedAt: UInt64(issuedAt))
  }
}
