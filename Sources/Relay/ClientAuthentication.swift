import Bytes
import Crypto
import JSON

/// Verifies the signed token with which a wallet proves that it owns its client ID (WalletConnect
/// specifications, clients/core/crypto): a JWT whose issuer is the client's own Ed25519 `did:key`.
public struct ClientAuthentication: Sendable {
  /// Seconds by which clocks may differ.
  public static let leeway: Int64 = 120

  private let audiences: [String]

  /// Accepts tokens made for one of `audiences`, the public address of this server and its origin;
  /// slashes at the end make no difference.
  public init(audiences: [String]) {
    self.audiences = audiences.map { String(Self.withoutTrailingSlashes($0)) }
  }

  /// Verifies the value of an `Authorization` header, with or without `Bearer `, for `client` at `now`
  /// (seconds since the epoch).
  public func verify(
    authorization: String, client: ClientID, now: Int64
  ) throws(ClientAuthenticationError) {
    let parts = try Self.split(authorization)
    try Self.checkHeader(parts.header)
    let claims = try Claims(parts.claims)
    let key = try Self.issuerKey(claims.issuer)
    guard key.verify(signature: parts.signature, message: parts.signingInput) else { throw .wrongSignature }
    if let expiry = claims.expiry, expiry < now - Self.leeway {
      throw .expired(seconds: now.subtractingClamped(expiry))
    }
    guard claims.issuedAt <= now + Self.leeway else {
      throw .notYetValid(seconds: claims.issuedAt.subtractingClamped(now))
    }
    let audience = Self.withoutTrailingSlashes(claims.audience)
    guard audiences.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else {
      throw .wrongAudience(claims.audience, accepted: audiences)
    }
    guard claims.issuer.utf8.elementsEqual("\(DIDKey.prefix)\(client.text)".utf8) else { throw .otherClient }
  }

  private static func split(_ authorization: String) throws(ClientAuthenticationError) -> JWT.Parts {
    var token = authorization.utf8[...]
    let scheme = token.prefix(7)
    if scheme.elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }) { token = token.dropFirst(7) }
    do throws(CryptoError) {
      return try JWT.Parts(compact: token)
    } catch {
      throw .malformed(error.description)
    }
  }

  private static func checkHeader(_ bytes: [UInt8]) throws(ClientAuthenticationError) {
    guard let header = try? JSON.parse(bytes) else { throw .header("is not JSON") }
    guard header["typ"]?.stringValue == "JWT" else { throw .header("lacks typ \"JWT\"") }
    guard header["alg"]?.stringValue == "EdDSA" else { throw .header("lacks alg \"EdDSA\"") }
  }

  private static func issuerKey(_ issuer: String) throws(ClientAuthenticationError) -> Ed25519PublicKey {
    do {
      return try Ed25519PublicKey(rawBytes: DIDKey.publicKey(issuer))
    } catch {
      throw .issuer("\(error)")
    }
  }

  private static func withoutTrailingSlashes(_ text: String) -> Substring {
    var text = text[...]
    while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    return text
  }
}

/// The claims that are looked at; others may be there.
private struct Claims {
  let issuer: String
  let audience: String
  /// Seconds since the epoch, like `expiry`.
  let issuedAt: Int64
  /// Nil for a token without end.
  let expiry: Int64?

  init(_ bytes: [UInt8]) throws(ClientAuthenticationError) {
    guard let claims = try? JSON.parse(bytes) else {
      throw .malformed("the token's claims are not JSON")
    }
    issuer = try Self.string(claims, "iss")
    audience = try Self.string(claims, "aud")
    // Required, though what it says does not matter.
    _ = try Self.string(claims, "sub")
    issuedAt = try Self.integer(claims, "iat")
    if let value = claims["exp"], !value.isNull {
      expiry = try Self.integer(claims, "exp")
    } else {
      expiry = nil
    }
  }

  private static func string(
    _ claims: JSONValue, _ name: String
  ) throws(ClientAuthenticationError) -> String {
    guard let text = claims[name]?.stringValue else {
      throw .claim(name: name, problem: "is missing or not a string")
    }
    return text
  }

  private static func integer(
    _ claims: JSONValue, _ name: String
  ) throws(ClientAuthenticationError) -> Int64 {
    guard let number = claims[name]?.int64Value else {
      throw .claim(name: name, problem: "is missing or not a whole number of seconds")
    }
    return number
  }
}

extension Int64 {
  /// The difference, cut to the range: claims come from outside.
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    guard overflow else { return difference }
    return self < 0 ? .min : .max
  }
}
