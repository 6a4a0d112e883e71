import Bytes
import HTTP
import JSON

/// Answers as APNs does.
///
/// Apple does not publish the order of its checks. Here: method and path, provider token, device token,
/// header fields, payload.
final class APNsHandler: RequestHandler {
  /// Bytes of a payload (Apple, "Generating a remote notification").
  static let maximumPayload = 4096
  static let maximumVoIPPayload = 5120
  /// Hex digits of a device token; Apple's have 64 today and may grow.
  static let maximumDeviceToken = 200
  private static let prefix = "/3/device/"

  /// Nil when TLS has verified the client.
  private let verifier: APNsTokenVerifier?
  private let topic: String
  private let clock: @Sendable () -> UInt64
  private let switches: Locked<APNsSwitches>

  init(
    verifier: APNsTokenVerifier?, topic: String, clock: @escaping @Sendable () -> UInt64,
    switches: Locked<APNsSwitches>
  ) {
    self.verifier = verifier
    self.topic = topic
    self.clock = clock
    self.switches = switches
  }

  func evaluate(_ request: HTTPRequest) -> Verdict {
    let headers = APNsHeaders(request.fields)
    let token = Self.deviceToken(request.path)
    var verdict = Verdict(response: .empty(200), deviceToken: token)
    switch check(request, headers, token: token) {
    case .success(let payload): verdict.payload = payload
    case .failure(let refusal):
      verdict.response = refusal.reason.response()
      verdict.refusal = refusal.reason.rawValue
    }
    let id = headers.id.flatMap { APNsMessageID.isCanonical($0) ? $0 : nil } ?? APNsMessageID.random()
    verdict.response.fields.add("apns-id", id)
    return verdict
  }

  func overflow(status: Int) -> Verdict {
    let reason: MockGateway.APNsReason = status == 413 ? .payloadTooLarge : .badPath
    return Verdict(response: reason.response(), refusal: reason.rawValue)
  }

  private struct Refusal: Error {
    let reason: MockGateway.APNsReason
  }

  private func check(
    _ request: HTTPRequest, _ headers: APNsHeaders, token: String?
  ) -> Result<JSONValue, Refusal> {
    func refuse(_ reason: MockGateway.APNsReason) -> Result<JSONValue, Refusal> {
      .failure(Refusal(reason: reason))
    }
    guard request.method == "POST" else { return refuse(.methodNotAllowed) }
    guard request.path.hasPrefix(Self.prefix) else { return refuse(.badPath) }
    if headers.hasDuplicates { return refuse(.duplicateHeaders) }
    let limitsUpdates = switches.withLock { $0.limitsTokenUpdates }
    if let reason = verifier?.refusal(
      of: headers.authorization, now: clock(), limitsUpdates: limitsUpdates)
    {
      return refuse(reason)
    }
    guard token != nil else {
      return refuse(request.path.utf8.count == Self.prefix.utf8.count ? .missingDeviceToken : .badDeviceToken)
    }
    if let reason = headers.fault(allowedTopic: topic) { return refuse(reason) }
    guard !request.body.isEmpty else { return refuse(.payloadEmpty) }
    let limit = headers.pushType == "voip" ? Self.maximumVoIPPayload : Self.maximumPayload
    guard request.body.count <= limit else { return refuse(.payloadTooLarge) }
    // Apple has no reason of its own for a payload that is no JSON object with `aps` in it.
    guard let payload = try? JSON.parse(request.body), payload["aps"]?.objectValue != nil else {
      return refuse(.payloadEmpty)
    }
    return .success(payload)
  }

  /// The token in the path, in lower case; nil when there is none or it is no hex.
  private static func deviceToken(_ path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    let text = path.utf8.dropFirst(prefix.utf8.count)
    guard !text.isEmpty, text.count <= maximumDeviceToken, text.count % 2 == 0 else { return nil }
    var isLower = true
    for byte in text {
      guard Hex.digitValue(byte) != nil else { return nil }
      if byte < UInt8(ascii: "a"), byte >= UInt8(ascii: "A") { isLower = false }
    }
    let token = String(Substring(text))
    return isLower ? token : token.lowercased()
  }
}

/// What can be switched while the APNs servers run.
struct APNsSwitches: Sendable {
  /// Refuse a provider token that replaces one in use for less than 20 minutes.
  var limitsTokenUpdates = false
  /// One stream until a push was accepted, and again after one was refused.
  var limitsStreams = false
}
