import JSON

/// What FCM's answers mean (Firebase, "FCM error codes" and "ErrorCode").
public enum FCMResponse {
  /// Seconds to wait after a 429 that does not say how long.
  public static let defaultQuotaWait: UInt64 = 60

  /// The verdict for an answer.
  ///
  /// The error code may stand in any of `details`, which may be missing; a body that is no JSON, as proxies
  /// send it, is decided by status.
  ///
  /// - Parameters:
  ///   - retryAfter: the `Retry-After` field's value.
  ///   - now: seconds since the epoch, for a `Retry-After` that is a date.
  public static func verdict(
    status: Int, retryAfter: String? = nil, body: [UInt8], now: UInt64
  ) -> GatewayVerdict {
    if (200..<300).contains(status) { return GatewayVerdict(.accepted) }
    let error = FCMError(body: body)
    let reason = GatewayReason.shown(error.code ?? error.status, status: status)
    let wait = RetryAfter.seconds(retryAfter, now: now)
    switch status {
    case 429:
      return GatewayVerdict(.throttled(retryAfter: wait ?? defaultQuotaWait))
    case 400..<500:
      return requestFault(error, status: status, reason: reason, wait)
    default:
      return GatewayVerdict(.unavailable(reason: reason, retryAfter: wait))
    }
  }

  private static func requestFault(
    _ error: FCMError, status: Int, reason: String, _ wait: UInt64?
  ) -> GatewayVerdict {
    switch error.code {
    case "UNREGISTERED", "SENDER_ID_MISMATCH":
      return GatewayVerdict(.deadToken(reason: reason, since: nil))
    case "INVALID_ARGUMENT":
      return GatewayVerdict(invalidArgument(error))
    case "THIRD_PARTY_AUTH_ERROR":
      return GatewayVerdict(
        .platformRefused(
          reason: reason,
          advice: "FCM can't push to iOS: upload a valid APNs key in the Firebase console, Cloud Messaging"))
    case "QUOTA_EXCEEDED":
      return GatewayVerdict(.throttled(retryAfter: wait ?? defaultQuotaWait))
    case "INTERNAL", "UNAVAILABLE":
      return GatewayVerdict(.unavailable(reason: reason, retryAfter: wait))
    default:
      return unknownCode(error, status: status, reason: reason, wait)
    }
  }

  private static func unknownCode(
    _ error: FCMError, status: Int, reason: String, _ wait: UInt64?
  ) -> GatewayVerdict {
    switch status {
    case 400 where error.status == "INVALID_ARGUMENT":
      GatewayVerdict(invalidArgument(error))
    case 401:
      GatewayVerdict(
        .rejected(
          reason: reason,
          advice: "FCM refuses the access token: check that the service account and its key are still enabled"
        ),
        remedy: .refreshCredentials)
    case 403:
      GatewayVerdict(
        .rejected(
          reason: reason,
          advice:
            "enable the Firebase Cloud Messaging API for the project and give the service account the role "
            + "Firebase Cloud Messaging API Admin"))
    case 404:
      GatewayVerdict(
        .rejected(
          reason: reason, advice: "FCM knows no such project: check project_id in the service account file"))
    case 408: GatewayVerdict(.unavailable(reason: reason, retryAfter: wait))
    case 413: GatewayVerdict(.payloadTooLarge)
    default: GatewayVerdict(.invalidRequest(reason: reason))
    }
  }

  /// One code for three faults. Only what is surely about the token counts against it; the payload is ours
  /// and well formed.
  private static func invalidArgument(_ error: FCMError) -> GatewayOutcome {
    if error.violatedFields.contains("message.token") {
      return .deadToken(reason: "INVALID_ARGUMENT", since: nil)
    }
    let message = error.message.lowercased()
    if message.contains("too big") || message.contains("too large") { return .payloadTooLarge }
    if error.violatedFields.isEmpty, message.contains("registration token") {
      return .deadToken(reason: "INVALID_ARGUMENT", since: nil)
    }
    return .invalidRequest(reason: "INVALID_ARGUMENT")
  }
}

/// The parts of a Google API error that matter here; all empty when the body is none.
private struct FCMError {
  /// FCM's own `errorCode`.
  var code: String?
  /// The general code, such as `NOT_FOUND`.
  var status: String?
  var message = ""
  /// Names of the request's fields that were found wrong.
  var violatedFields: [String] = []

  init(body: [UInt8]) {
    guard let error = (try? JSON.parse(body))?["error"] else { return }
    status = error["status"]?.stringValue
    message = error["message"]?.stringValue ?? ""
    for detail in error["details"]?.arrayValue ?? [] {
      if code == nil { code = detail["errorCode"]?.stringValue }
      for violation in detail["fieldViolations"]?.arrayValue ?? [] {
        if let field = violation["field"]?.stringValue { violatedFields.append(field) }
      }
    }
  }
}
