import Gateways
import Testing

@Suite struct FCMResponseTests {
  private func verdict(_ status: Int, _ body: String, retryAfter: String? = nil) -> GatewayVerdict {
    FCMResponse.verdict(status: status, retryAfter: retryAfter, body: Array(body.utf8), now: 0)
  }

  /// An error as FCM sends it, its code behind a detail of another kind.
  private func error(
    _ status: String, code: String? = nil, message: String = "m", fields: [String] = []
  ) -> String {
    let violations = fields.map { #"{"field":"\#($0)","description":"d"}"# }.joined(separator: ",")
    var details = [
      #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(violations)]}"#
    ]
    if let code {
      details.append(
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#)
    }
    return
      #"{"error":{"code":400,"message":"\#(message)","status":"\#(status)","details":[\#(details.joined(separator: ","))]}}"#
  }

  private static let table: [(Int, String, String?, Kind, GatewayVerdict.Remedy)] = [
    (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .invalid, .none),
    (400, "INVALID_ARGUMENT", nil, .invalid, .none),
    (400, "FAILED_PRECONDITION", nil, .invalid, .none),
    (401, "UNAUTHENTICATED", nil, .rejected, .refreshCredentials),
    (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", .platformRefused, .none),
    (403, "PERMISSION_DENIED", nil, .rejected, .none),
    (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", .dead, .none),
    (404, "NOT_FOUND", "UNREGISTERED", .dead, .none),
    (404, "NOT_FOUND", nil, .rejected, .none),
    (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", .throttled, .none),
    (429, "RESOURCE_EXHAUSTED", nil, .throttled, .none),
    (500, "INTERNAL", "INTERNAL", .unavailable, .none),
    (500, "INTERNAL", nil, .unavailable, .none),
    (503, "UNAVAILABLE", "UNAVAILABLE", .unavailable, .none),
    (503, "UNAVAILABLE", nil, .unavailable, .none),
  ]

  @Test func everyKnownCode() {
    for (status, general, code, kind, remedy) in Self.table {
      let verdict = verdict(status, error(general, code: code))
      #expect(Kind(verdict.outcome) == kind, "\(status) \(general) \(code ?? "-")")
      #expect(verdict.remedy == remedy, "\(status) \(general) \(code ?? "-")")
      switch verdict.outcome {
      case .deadToken(let shown, let since):
        #expect(shown == code)
        #expect(since == nil)
      case .rejected(let shown, let advice), .platformRefused(let shown, let advice):
        #expect(shown == code ?? general)
        #expect(advice.count > 20)
      case .unavailable(let shown, _), .invalidRequest(let shown): #expect(shown == code ?? general)
      default: break
      }
    }
  }

  @Test(
    arguments: [
      (200, .accepted), (400, .invalid), (401, .rejected), (403, .rejected), (404, .rejected),
      (408, .unavailable), (413, .tooLarge), (429, .throttled), (500, .unavailable), (502, .unavailable),
      (503, .unavailable), (504, .unavailable), (302, .unavailable),
    ] as [(Int, Kind)])
  func statusDecidesWithoutAKnownCode(status: Int, kind: Kind) {
    for body in [
      "<!DOCTYPE html><title>Error 502 (Server Error)!!1</title>", "", "null", #"{"error":"x"}"#,
      #"{"error":{"details":[17,{"errorCode":1}]}}"#, #"{"error":{"details":{}}}"#,
      error("SOMETHING_NEW", code: "SOMETHING_NEWER"),
    ] {
      #expect(Kind(verdict(status, body).outcome) == kind, "\(status) \(body)")
    }
  }

  @Test func anInvalidArgumentKillsATokenOnlyWhenItIsAboutTheToken() {
    let dead = GatewayOutcome.deadToken(reason: "INVALID_ARGUMENT", since: nil)
    let invalid = GatewayOutcome.invalidRequest(reason: "INVALID_ARGUMENT")
    func outcome(_ message: String, _ fields: [String], code: String? = "INVALID_ARGUMENT") -> GatewayOutcome
    {
      verdict(400, error("INVALID_ARGUMENT", code: code, message: message, fields: fields)).outcome
    }
    let text = "The registration token is not a valid FCM registration token"
    #expect(outcome("m", ["message.token"]) == dead)
    #expect(outcome("m", ["message.token"], code: nil) == dead)
    #expect(outcome(text, []) == dead)
    #expect(outcome(text, [], code: nil) == dead)
    #expect(outcome(text, ["message.data[0].value"]) == invalid)
    #expect(outcome("m", ["message.data[0].value"]) == invalid)
    #expect(outcome("m", []) == invalid)
    #expect(outcome("Android message is too big", []) == .payloadTooLarge)
  }

  // As seen in the field: no details at all.
  @Test func tooLargeWithoutDetails() {
    let body = #"{"error":{"code":400,"message":"Message too big","status":"INVALID_ARGUMENT"}}"#
    #expect(verdict(400, body).outcome == .payloadTooLarge)
  }

  @Test func aServerFaultNeverKillsAToken() {
    for status in [429, 500, 502, 503] {
      #expect(Kind(verdict(status, error("NOT_FOUND", code: "UNREGISTERED")).outcome) != .dead)
      #expect(
        Kind(
          verdict(status, error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", fields: ["message.token"]))
            .outcome)
          != .dead)
    }
  }

  @Test func waits() {
    #expect(verdict(429, "").outcome == .throttled(retryAfter: 60))
    #expect(verdict(429, "", retryAfter: "5").outcome == .throttled(retryAfter: 5))
    #expect(
      verdict(503, error("UNAVAILABLE"), retryAfter: "Thu, 01 Jan 1970 00:00:09 GMT").outcome
        == .unavailable(reason: "UNAVAILABLE", retryAfter: 9))
    #expect(verdict(502, "<html>").outcome == .unavailable(reason: "HTTP 502", retryAfter: nil))
  }
}
