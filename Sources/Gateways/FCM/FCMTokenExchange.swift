import Bytes
import Crypto
import HTTP
import JSON

/// The exchange of a signed assertion for an access token (Google, "Using OAuth 2.0 for server to server
/// applications"; RFC 7523).
public enum FCMTokenExchange {
  /// What the token may be used for.
  static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// How long an assertion is valid, in seconds; Google takes an hour at most.
  static let assertionLifetime: UInt64 = 3600
  /// Lifetime in seconds of a token whose answer does not say; Google's are valid for an hour.
  static let defaultLifetime: UInt64 = 3600

  /// Seconds by which the clocks may differ before it matters.
  static let clockTolerance: UInt64 = 30

  /// What came of an exchange.
  public enum Result: Equatable, Sendable {
    /// `lifetime` in seconds from now.
    case token(String, lifetime: UInt64)
    case failed(GatewayOutcome)
  }

  /// The request for a token. Signs, which takes about a millisecond.
  ///
  /// - Parameter now: seconds since the epoch.
  public static func request(
    for account: ServiceAccount, now: UInt64
  ) throws(CryptoError) -> HTTPRequest {
    let body =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
      + (try assertion(for: account, now: now))
    return HTTPRequest(
      method: "POST", path: account.tokenEndpoint.path,
      authority: account.tokenEndpoint.endpoint.authority, scheme: "https",
      fields: [
        HTTPField("content-type", "application/x-www-form-urlencoded"),
        HTTPField("accept", "application/json"),
      ],
      body: Array(body.utf8))
  }

  /// The RS256 assertion for `account`.
  static func assertion(for account: ServiceAccount, now: UInt64) throws(CryptoError) -> String {
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", "RS256")
    header.member("typ", "JWT")
    if let keyID = account.privateKeyID { header.member("kid", keyID) }
    header.endObject()
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", account.clientEmail)
    claims.member("scope", scope)
    claims.member("aud", account.tokenEndpoint.uri)
    claims.member("iat", now)
    claims.member("exp", now + assertionLifetime)
    claims.endObject()
    let input = JWT.signingInput(header: header.bytes, claims: claims.bytes)
    return JWT.join(signingInput: input, signature: try account.privateKey.sign(input))
  }

  /// What the token endpoint's answer means.
  ///
  /// - Parameters:
  ///   - retryAfter: the `Retry-After` field's value.
  ///   - now: seconds since the epoch, for a `Retry-After` that is a date.
  ///   - date: the `Date` field's value.
  public static func result(
    status: Int, retryAfter: String? = nil, body: [UInt8], now: UInt64, date: String? = nil
  ) -> Result {
    let answer = try? JSON.parse(body)
    let wait = RetryAfter.seconds(retryAfter, now: now)
    switch status {
    case 200: return token(answer)
    case 408: return .failed(.unavailable(reason: "token endpoint: HTTP 408", retryAfter: wait))
    case 429: return .failed(.throttled(retryAfter: wait))
    case 400..<500: return .failed(refusal(answer, status: status, skew: skew(date, now)))
    default: return .failed(.unavailable(reason: "token endpoint: HTTP \(status)", retryAfter: wait))
    }
  }

  private static func token(_ answer: JSONValue?) -> Result {
    // The token goes into a header field, so it must not be able to end one.
    guard let token = answer?["access_token"]?.stringValue, !token.isEmpty, token.utf8.count <= 8192,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      return .failed(.unavailable(reason: "token endpoint: no access_token in its answer", retryAfter: nil))
    }
    return .token(token, lifetime: answer?["expires_in"]?.uint64Value ?? defaultLifetime)
  }

  /// Seconds by which our clock differs from the endpoint's, when that is too much.
  private static func skew(_ date: String?, _ now: UInt64) -> UInt64? {
    guard let theirs = date.flatMap({ RetryAfter.seconds(ofDate: $0) }) else { return nil }
    let skew = theirs > now ? theirs - now : now - theirs
    return skew > clockTolerance ? skew : nil
  }

  private static func refusal(_ answer: JSONValue?, status: Int, skew: UInt64?) -> GatewayOutcome {
    let reason = GatewayReason.shown(answer?["error"]?.stringValue, status: status)
    let advice =
      switch reason {
      case "invalid_grant":
        if let skew {
          "this machine's clock is \(skew) s off: set it right, for example with systemd-timesyncd"
        } else {
          "Google does not know the service account or its key any more: download a new key file from the Firebase "
            + "console (Project settings, Service accounts), and check this machine's clock"
        }
      case "disabled_client":
        "the service account is disabled: enable it in the Google Cloud console (IAM, Service accounts)"
      case "invalid_client", "unauthorized_client", "deleted_client":
        "Google refuses the service account: check in the Google Cloud console that it exists and is enabled"
      case "invalid_scope": "the service account may not use Firebase Cloud Messaging: check its roles"
      default: "Google gives no access token: check the service account file, its token_uri and the project"
      }
    return .rejected(reason: reason, advice: advice)
  }
}
