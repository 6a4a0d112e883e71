import Gateways
import Testing

/// What a verdict is, without its texts.
enum Kind: Equatable, Sendable {
  case accepted, dead, rejected, platformRefused, tooLarge, invalid, throttled, unavailable, timedOut

  init(_ outcome: GatewayOutcome) {
    self =
      switch outcome {
      case .accepted: .accepted
      case .deadToken: .dead
      case .rejected: .rejected
      case .platformRefused: .platformRefused
      case .payloadTooLarge: .tooLarge
      case .invalidRequest: .invalid
      case .throttled: .throttled
      case .unavailable, .unreachable: .unavailable
      case .timedOut: .timedOut
      }
  }
}

@Suite struct APNsResponseTests {
  private func verdict(
    _ status: Int, _ body: String, retryAfter: String? = nil, now: UInt64 = 0
  ) -> GatewayVerdict {
    APNsResponse.verdict(status: status, retryAfter: retryAfter, body: Array(body.utf8), now: now)
  }

  private static let table: [(Int, String, Kind, GatewayVerdict.Remedy)] = [
    (400, "BadCollapseId", .invalid, .none),
    (400, "BadDeviceToken", .dead, .none),
    (400, "BadExpirationDate", .invalid, .none),
    (400, "BadMessageId", .invalid, .none),
    (400, "BadPriority", .invalid, .none),
    (400, "BadTopic", .rejected, .none),
    (400, "DeviceTokenNotForTopic", .dead, .none),
    (400, "DuplicateHeaders", .invalid, .none),
    (400, "IdleTimeout", .unavailable, .newConnection),
    (400, "InvalidPushType", .invalid, .none),
    (400, "MissingDeviceToken", .invalid, .none),
    (400, "MissingTopic", .rejected, .none),
    (400, "PayloadEmpty", .invalid, .none),
    (400, "TopicDisallowed", .rejected, .none),
    (403, "BadCertificate", .rejected, .none),
    (403, "BadCertificateEnvironment", .rejected, .none),
    (403, "BadEnvironmentKeyIdInToken", .rejected, .none),
    (403, "BadEnvironmentKeyInToken", .rejected, .none),
    (403, "ExpiredProviderToken", .rejected, .refreshCredentials),
    (403, "Forbidden", .rejected, .none),
    (403, "InvalidProviderToken", .rejected, .none),
    (403, "MissingProviderToken", .rejected, .none),
    (403, "UnrelatedKeyIdInToken", .rejected, .none),
    (404, "BadPath", .invalid, .none),
    (405, "MethodNotAllowed", .invalid, .none),
    (410, "ExpiredToken", .dead, .none),
    (410, "Unregistered", .dead, .none),
    (413, "PayloadTooLarge", .tooLarge, .none),
    (429, "TooManyProviderTokenUpdates", .throttled, .newConnection),
    (429, "TooManyRequests", .throttled, .none),
    (500, "InternalServerError", .unavailable, .newConnection),
    (503, "ServiceUnavailable", .unavailable, .none),
    (503, "Shutdown", .unavailable, .newConnection),
  ]

  @Test func everyKnownReason() {
    for (status, reason, kind, remedy) in Self.table {
      let verdict = verdict(status, "{\"reason\":\"\(reason)\"}")
      #expect(Kind(verdict.outcome) == kind, "\(status) \(reason)")
      #expect(verdict.remedy == remedy, "\(status) \(reason)")
      switch verdict.outcome {
      case .deadToken(let shown, _), .invalidRequest(let shown), .unavailable(let shown, _):
        #expect(shown == reason)
      case .rejected(let shown, let advice):
        #expect(shown == reason)
        #expect(advice.count > 20, "\(reason) needs advice")
      default: break
      }
    }
  }

  // Unknown reasons, bodies of proxies, nothing at all: the status decides.
  @Test(
    arguments: [
      (400, .invalid), (401, .rejected), (403, .rejected), (404, .invalid), (405, .invalid),
      (408, .unavailable),
      (410, .dead), (413, .tooLarge), (429, .throttled), (500, .unavailable), (502, .unavailable),
      (503, .unavailable), (504, .unavailable), (302, .unavailable), (204, .unavailable),
    ] as [(Int, Kind)])
  func statusDecides(status: Int, kind: Kind) {
    for body in [
      #"{"reason":"SomethingNew"}"#, "<html><body>502 Bad Gateway</body></html>", "", "null", "[]",
      #"{"reason":17}"#, #"{"reason":"BadDev"#, "{\"reason\":\"\\u001b[2J\"}",
    ] {
      #expect(Kind(verdict(status, body).outcome) == kind, "\(status) \(body)")
    }
  }

  @Test func successNeedsNoBody() {
    #expect(verdict(200, "") == GatewayVerdict(.accepted))
  }

  @Test func aServerFaultNeverKillsAToken() {
    for reason in ["BadDeviceToken", "Unregistered", "DeviceTokenNotForTopic", "ExpiredToken"] {
      for status in [429, 500, 502, 503] {
        #expect(Kind(verdict(status, "{\"reason\":\"\(reason)\"}").outcome) != .dead)
      }
    }
  }

  @Test func timestampOfAGoneToken() {
    #expect(
      verdict(410, #"{"reason":"Unregistered","timestamp":1767323045678}"#).outcome
        == .deadToken(reason: "Unregistered", since: 1_767_323_045_678))
    #expect(
      verdict(410, #"{"reason":"ExpiredToken","timestamp":"x"}"#).outcome
        == .deadToken(reason: "ExpiredToken", since: nil))
    #expect(verdict(410, "gone").outcome == .deadToken(reason: "HTTP 410", since: nil))
  }

  @Test func retryAfter() {
    #expect(
      verdict(429, #"{"reason":"TooManyRequests"}"#, retryAfter: "7").outcome == .throttled(retryAfter: 7))
    #expect(
      verdict(
        503, #"{"reason":"ServiceUnavailable"}"#, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT",
        now: 784_111_770
      )
      .outcome == .unavailable(reason: "ServiceUnavailable", retryAfter: 7))
    #expect(verdict(503, "", retryAfter: "soon").outcome == .unavailable(reason: "HTTP 503", retryAfter: nil))
    // A date of the past, and one that is absurd.
    #expect(
      verdict(429, "", retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", now: 1_700_000_000).outcome
        == .throttled(retryAfter: 0))
    #expect(
      verdict(429, "", retryAfter: "Fri, 31 Dec 9999 23:59:59 GMT").outcome == .throttled(retryAfter: 86_400))
    #expect(verdict(429, "", retryAfter: "99999999999999999999").outcome == .throttled(retryAfter: nil))
    for bad in ["-1", "1.5", "", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT"] {
      #expect(verdict(429, "", retryAfter: bad).outcome == .throttled(retryAfter: nil), "\(bad)")
    }
  }

  @Test(
    arguments: [
      ("Thu, 01 Jan 1970 00:00:10 GMT", 10), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Sun, 31 Dec 2023 23:59:59 GMT", 1_704_067_199),
    ] as [(String, UInt64)])
  func datesAreCounted(text: String, seconds: UInt64) {
    #expect(verdict(429, "", retryAfter: text, now: seconds - 5).outcome == .throttled(retryAfter: 5))
  }
}
