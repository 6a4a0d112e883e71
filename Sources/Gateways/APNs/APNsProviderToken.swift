import Bytes
import Crypto
import JSON

/// The provider token of one team and key (Apple, "Establishing a token-based connection to APNs"). All
/// workers share one: Apple throttles providers that present a new token more often than every 20 minutes,
/// and refuses one that is older than an hour.
public final class APNsProviderToken: Sendable {
  /// Age in seconds at which a server makes a new token.
  public static let refreshAge: UInt64 = 50 * 60
  /// The same for a command beside a server, which goes on with the server's while Apple still takes it: each
  /// new one counts against the server.
  public static let toolRefreshAge: UInt64 = 58 * 60
  /// Age in seconds below which no new token is made, whatever the gateway says.
  public static let minimumAge: UInt64 = 20 * 60
  /// How far in seconds a token may lie in the future before the clock is taken to have been set back.
  private static let clockTolerance: UInt64 = 60

  /// A token as it is kept across restarts. A credential for an hour: to be stored like the key.
  public struct Snapshot: Equatable, Sendable, CustomStringConvertible {
    /// Seconds since the epoch.
    public var issuedAt: UInt64
    /// The JSON Web Token's bytes.
    public var token: [UInt8]

    public init(issuedAt: UInt64, token: [UInt8]) {
      self.issuedAt = issuedAt
      self.token = token
    }

    public var description: String { "provider token issued at \(issuedAt)" }
  }

  private struct Issued: Sendable {
    var issuedAt: UInt64
    /// The `authorization` field's value.
    var authorization: String
  }

  public let teamID: String
  public let keyID: String
  private let key: P256PrivateKey
  private let clock: @Sendable () -> UInt64
  private let refreshAge: UInt64
  private let onIssue: @Sendable (Snapshot) -> Void
  private let issued: Locked<Issued?>

  /// - Parameters:
  ///   - restored: the token of an earlier run, used when this key made it and it is young enough.
  ///   - refreshAge: seconds after which a new token is made.
  ///   - clock: gives seconds since the epoch.
  ///   - onIssue: called with each new token, on the thread that needed it, to keep it across restarts.
  public init(
    teamID: String, keyID: String, key: P256PrivateKey, restored: Snapshot? = nil,
    refreshAge: UInt64 = APNsProviderToken.refreshAge, clock: @escaping @Sendable () -> UInt64,
    onIssue: @escaping @Sendable (Snapshot) -> Void = { _ in }
  ) {
    self.teamID = teamID
    self.keyID = keyID
    self.key = key
    self.refreshAge = refreshAge
    self.clock = clock
    self.onIssue = onIssue
    let valid = restored.flatMap {
      Self.isGenuine($0, teamID: teamID, keyID: keyID, key: key) ? $0 : nil
    }
    issued = Locked(
      valid.map {
        Issued(issuedAt: $0.issuedAt, authorization: "bearer " + String(decoding: $0.token, as: UTF8.self))
      })
  }

  /// The `authorization` field's value, made anew when the last one is too old.
  public func authorization() throws(CryptoError) -> String {
    try current { age in age >= refreshAge }.authorization
  }

  /// What to send after APNs found `rejected` expired: a new token, or the one another worker made meanwhile.
  /// Nil when the last one is younger than 20 minutes: then its age can't be the fault.
  public func replacement(for rejected: String) throws(CryptoError) -> String? {
    let issued = try current { age in age >= Self.minimumAge }
    return issued.authorization == rejected ? nil : issued.authorization
  }

  /// The token in use, to be kept across restarts; nil before the first push.
  public var snapshot: Snapshot? { issued.withLock { $0 }.map(Self.snapshot) }

  /// The token in use, made anew when `isStale` says so of its age in seconds.
  private func current(isStale: (UInt64) -> Bool) throws(CryptoError) -> Issued {
    var isNew = false
    let result = try issued.withLock { (issued) throws(CryptoError) -> Issued in
      let now = clock()
      if let issued, !isStale(now > issued.issuedAt ? now - issued.issuedAt : 0),
        issued.issuedAt <= now + Self.clockTolerance
      {
        return issued
      }
      let made = try make(at: now)
      issued = made
      isNew = true
      return made
    }
    if isNew { onIssue(Self.snapshot(result)) }
    return result
  }

  private func make(at now: UInt64) throws(CryptoError) -> Issued {
    let input = Self.signingInput(teamID: teamID, keyID: keyID, issuedAt: now)
    let token = JWT.join(signingInput: input, signature: try key.sign(input))
    return Issued(issuedAt: now, authorization: "bearer " + token)
  }

  private static func snapshot(_ issued: Issued) -> Snapshot {
    Snapshot(issuedAt: issued.issuedAt, token: Array(issued.authorization.utf8.dropFirst("bearer ".count)))
  }

  private static func signingInput(teamID: String, keyID: String, issuedAt: UInt64) -> [UInt8] {
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", "ES256")
    header.member("kid", keyID)
    header.endObject()
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", teamID)
    claims.member("iat", issuedAt)
    claims.endObject()
    return JWT.signingInput(header: header.bytes, claims: claims.bytes)
  }

  /// Whether `key` made `snapshot` for this team and key ID: a key file may have been replaced meanwhile.
  private static func isGenuine(
    _ snapshot: Snapshot, teamID: String, keyID: String, key: P256PrivateKey
  ) -> Bool {
    guard let parts = try? JWT.Parts(compact: snapshot.token), let publicKey = try? key.publicKey() else {
      return false
    }
    return parts.signingInput == signingInput(teamID: teamID, keyID: keyID, issuedAt: snapshot.issuedAt)
      && publicKey.verify(signature: parts.signature, message: parts.signingInput)
  }
}
