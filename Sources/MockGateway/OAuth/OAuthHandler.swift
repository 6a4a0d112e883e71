import Bytes
import Crypto
import HTTP
import JSON

/// Answers as Google's token endpoint does to a service account (Google, "Using OAuth 2.0 for server to
/// server applications"; RFC 7523).
final class OAuthHandler: RequestHandler {
  static let path = "/token"
  static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  /// Seconds that an assertion may be valid.
  private static let maximumLifetime: UInt64 = 3600
  /// Seconds by which the clocks may differ.
  private static let clockTolerance: UInt64 = 60

  /// An answer of RFC 6749 section 5.2.
  private struct Refusal: Error {
    var status = 400
    var error: String
    var description: String
  }

  /// The account's keys by their IDs: Google allows several, so that one can be rotated.
  private var keys: [String: RSAPublicKey]
  private let email: String
  private let lifetime: UInt64
  private let tokens: AccessTokens
  private let clock: @Sendable () -> UInt64
  /// The token endpoint's own address, which assertions must be for; set once the port is known.
  var audience = ""

  init(
    publicKey: RSAPublicKey, keyID: String, email: String, lifetime: UInt64, tokens: AccessTokens,
    clock: @escaping @Sendable () -> UInt64
  ) {
    keys = [keyID: publicKey]
    self.email = email
    self.lifetime = lifetime
    self.tokens = tokens
    self.clock = clock
  }

  /// Takes assertions of a key from now on; nil refuses them.
  func setKey(_ key: RSAPublicKey?, id: String) {
    keys[id] = key
  }

  func evaluate(_ request: HTTPRequest) -> Verdict {
    var verdict = verdict(on: request)
    // By which a client may find its own clock wrong.
    verdict.response.fields.add("date", HTTPDate.text(secondsSinceEpoch: clock()))
    return verdict
  }

  private func verdict(on request: HTTPRequest) -> Verdict {
    do throws(Refusal) {
      try verify(assertion(in: request))
      let token: String
      do throws(CryptoError) {
        token = try tokens.issue(now: clock(), lifetime: lifetime)
      } catch {
        throw Refusal(status: 500, error: "internal_failure", description: "no random numbers")
      }
      return Verdict(response: issued(token))
    } catch {
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("error", error.error)
      writer.member("error_description", error.description)
      writer.endObject()
      return Verdict(response: .json(error.status, writer.bytes), refusal: error.error)
    }
  }

  func overflow(status: Int) -> Verdict {
    Verdict(response: .empty(status), refusal: "invalid_request")
  }

  private func issued(_ token: String) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("access_token", token)
    writer.member("expires_in", lifetime)
    writer.member("token_type", "Bearer")
    writer.endObject()
    return .json(200, writer.bytes)
  }

  // MARK: Checks

  private func assertion(in request: HTTPRequest) throws(Refusal) -> String {
    guard request.path == Self.path else {
      throw Refusal(status: 404, error: "not_found", description: "Not found")
    }
    guard request.method == "POST" else {
      throw Refusal(status: 405, error: "invalid_request", description: "Only POST is allowed")
    }
    let type = request.fields.first("content-type")?.split(separator: ";").first.map(String.init)
    guard type == "application/x-www-form-urlencoded", let form = Self.form(request.body) else {
      throw Refusal(error: "invalid_request", description: "The request is not form-encoded")
    }
    guard let grant = form["grant_type"] else {
      throw Refusal(error: "invalid_request", description: "Missing required parameter: grant_type")
    }
    guard grant == Self.grantType else {
      throw Refusal(error: "unsupported_grant_type", description: "Invalid grant_type: \(grant)")
    }
    guard let assertion = form["assertion"] else {
      throw Refusal(error: "invalid_request", description: "Missing required parameter: assertion")
    }
    return assertion
  }

  private func verify(_ assertion: String) throws(Refusal) {
    guard let parts = try? JWT.Parts(compact: assertion.utf8), let header = try? JSON.parse(parts.header),
      let claims = try? JSON.parse(parts.claims)
    else { throw Refusal(error: "invalid_grant", description: "Invalid JWT: it cannot be read") }
    guard claims["iss"]?.stringValue == email else {
      throw Refusal(error: "invalid_grant", description: "Invalid grant: account not found")
    }
    let candidates =
      header["kid"].map { kid in
        kid.stringValue.flatMap { keys[$0] }.map { [$0] } ?? []
      } ?? Array(keys.values)
    guard header["alg"]?.stringValue == "RS256",
      candidates.contains(where: { $0.verify(signature: parts.signature, message: parts.signingInput) })
    else { throw Refusal(error: "invalid_grant", description: "Invalid JWT Signature.") }
    guard claims["aud"]?.stringValue == audience else {
      throw Refusal(error: "invalid_grant", description: "Invalid JWT: Failed audience check.")
    }
    try checkTimes(claims)
    let scopes = claims["scope"]?.stringValue?.split(separator: " ") ?? []
    guard scopes.contains(where: { $0 == Self.scope }) else {
      throw Refusal(
        error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
    }
  }

  private func checkTimes(_ claims: JSONValue) throws(Refusal) {
    let now = clock()
    guard let issuedAt = claims["iat"]?.uint32Value.map(UInt64.init),
      let expiration = claims["exp"]?.uint32Value.map(UInt64.init),
      issuedAt <= now + Self.clockTolerance, now < expiration + Self.clockTolerance,
      expiration > issuedAt, expiration - issuedAt <= Self.maximumLifetime
    else {
      throw Refusal(
        error: "invalid_grant",
        description: "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          + "timeframe. Check your iat and exp values in the JWT claim.")
    }
  }

  /// The parameters of an `application/x-www-form-urlencoded` body; nil when one is there twice or
  /// can't be decoded.
  private static func form(_ body: [UInt8]) -> [String: String]? {
    guard let text = String(validating: body, as: UTF8.self) else { return nil }
    var form: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = decode(parts[0]), let value = decode(parts[1]), form[name] == nil
      else { return nil }
      form[name] = value
    }
    return form
  }

  private static func decode(_ text: Substring) -> String? {
    let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return PercentEncoding.decode(String(decoding: spaced, as: UTF8.self)[...])
  }
}
