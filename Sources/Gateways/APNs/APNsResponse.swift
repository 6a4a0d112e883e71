import JSON

/// What APNs' answers mean (Apple, "Handling notification responses from APNs").
public enum APNsResponse {
  /// The verdict for an answer.
  ///
  /// Reasons not known are decided by status, and so is a body that is no JSON: proxies answer as well.
  ///
  /// - Parameters:
  ///   - retryAfter: the `Retry-After` field's value.
  ///   - now: seconds since the epoch, for a `Retry-After` that is a date.
  public static func verdict(
    status: Int, retryAfter: String? = nil, body: [UInt8], now: UInt64
  ) -> GatewayVerdict {
    if status == 200 { return GatewayVerdict(.accepted) }
    let answer = try? JSON.parse(body)
    let reason = GatewayReason.shown(answer?["reason"]?.stringValue, status: status)
    let wait = RetryAfter.seconds(retryAfter, now: now)
    switch status {
    case 429:
      // This connection is of no use for a while; the token on it is still good.
      let remedy: GatewayVerdict.Remedy = reason == "TooManyProviderTokenUpdates" ? .newConnection : .none
      return GatewayVerdict(.throttled(retryAfter: wait), remedy: remedy)
    case 400..<500:
      return requestFault(status: status, reason: reason, since: answer?["timestamp"]?.uint64Value, wait)
    case 500, 503:
      let remedy: GatewayVerdict.Remedy = status == 500 || reason == "Shutdown" ? .newConnection : .none
      return GatewayVerdict(.unavailable(reason: reason, retryAfter: wait), remedy: remedy)
    default:
      return GatewayVerdict(.unavailable(reason: reason, retryAfter: wait))
    }
  }

  private static func requestFault(
    status: Int, reason: String, since: UInt64?, _ wait: UInt64?
  ) -> GatewayVerdict {
    switch reason {
    case "BadDeviceToken", "DeviceTokenNotForTopic":
      return GatewayVerdict(.deadToken(reason: reason, since: nil))
    case "Unregistered", "ExpiredToken":
      return GatewayVerdict(.deadToken(reason: reason, since: since))
    case "PayloadTooLarge":
      return GatewayVerdict(.payloadTooLarge)
    case "IdleTimeout":
      return GatewayVerdict(.unavailable(reason: reason, retryAfter: wait), remedy: .newConnection)
    case "ExpiredProviderToken":
      return GatewayVerdict(
        .rejected(reason: reason, advice: advice[reason] ?? generalAdvice), remedy: .refreshCredentials)
    default:
      if let advice = advice[reason] { return GatewayVerdict(.rejected(reason: reason, advice: advice)) }
      return GatewayVerdict(unknownReason(status: status, reason: reason, since: since, wait))
    }
  }

  private static func unknownReason(
    status: Int, reason: String, since: UInt64?, _ wait: UInt64?
  ) -> GatewayOutcome {
    switch status {
    case 401, 403: .rejected(reason: reason, advice: generalAdvice)
    case 408: .unavailable(reason: reason, retryAfter: wait)
    case 410: .deadToken(reason: reason, since: since)
    case 413: .payloadTooLarge
    default: .invalidRequest(reason: reason)
    }
  }

  private static let generalAdvice =
    "APNs refuses the credentials: check the key or certificate, key ID, team ID, topic and environment"

  /// What to do, for every reason that names a fault of credentials or configuration.
  private static let advice: [String: String] = [
    "BadCertificate":
      "APNs refuses the certificate: check that it is the app's push certificate and not revoked",
    "BadCertificateEnvironment":
      "the certificate is for the other environment: use a production one for apns, a sandbox one for apns-sandbox",
    "BadEnvironmentKeyIdInToken":
      "the key is for the other environment: allow this one for the key in Apple's developer portal",
    "BadEnvironmentKeyInToken":
      "the key is for the other environment: allow this one for the key in Apple's developer portal",
    "BadTopic": "the topic is not valid: it must be the app's bundle ID",
    "ExpiredProviderToken": "APNs takes the token for older than an hour: check this machine's clock",
    "Forbidden": "APNs refuses the request: check that the key or certificate may push to this topic",
    "InvalidProviderToken":
      "APNs refuses the provider token: check that key ID and team ID belong to the key file, that the key is not "
      + "revoked, and this machine's clock",
    "MissingProviderToken": "APNs got no provider token: configure a key, or a certificate for this topic",
    "MissingTopic": "APNs needs a topic: set it to the app's bundle ID",
    "TopicDisallowed":
      "pushing to this topic is not allowed: check the topic and whose key or certificate is used",
    "UnrelatedKeyIdInToken":
      "the key does not belong to this team or topic: check key ID, team ID and topic",
  ]
}
