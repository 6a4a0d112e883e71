import HTTP
import JSON

extension MockGateway {
  /// Why FCM refuses a message (Firebase, "ErrorCode").
  public enum FCMErrorCode: String, CaseIterable, Sendable {
    case invalidArgument = "INVALID_ARGUMENT"
    case unregistered = "UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
  }
}

/// An error in the form of Google's APIs (AIP-193), with FCM's own code among its details.
struct GoogleError: Error {
  struct Violation {
    var field: String
    var description: String
  }

  var code: Int
  /// The general code, such as `NOT_FOUND`.
  var status: String
  var message: String
  var fcmCode: MockGateway.FCMErrorCode?
  var violations: [Violation] = []

  init(code: Int, status: String, message: String, fcmCode: MockGateway.FCMErrorCode? = nil) {
    self.code = code
    self.status = status
    self.message = message
    self.fcmCode = fcmCode
  }

  /// The message has fields that are wrong.
  init(violations: [Violation], fcmCode: MockGateway.FCMErrorCode? = nil) {
    self.init(
      code: 400, status: "INVALID_ARGUMENT",
      message: violations.map(\.description).joined(separator: "\n"), fcmCode: fcmCode)
    self.violations = violations
  }

  init(_ fcmCode: MockGateway.FCMErrorCode) {
    switch fcmCode {
    case .invalidArgument:
      self.init(
        violations: [
          Violation(
            field: "message.token",
            description: "The registration token is not a valid FCM registration token")
        ], fcmCode: fcmCode)
    case .unregistered:
      self.init(code: 404, status: "NOT_FOUND", message: "Requested entity was not found.", fcmCode: fcmCode)
    case .senderIDMismatch:
      self.init(code: 403, status: "PERMISSION_DENIED", message: "SenderId mismatch", fcmCode: fcmCode)
    case .quotaExceeded:
      self.init(
        code: 429, status: "RESOURCE_EXHAUSTED",
        message: "Quota exceeded for quota metric 'Send requests' of service 'fcm.googleapis.com'.",
        fcmCode: fcmCode)
    case .unavailable:
      self.init(
        code: 503, status: "UNAVAILABLE", message: "The service is currently unavailable.", fcmCode: fcmCode)
    case .internal:
      self.init(code: 500, status: "INTERNAL", message: "Internal error encountered.", fcmCode: fcmCode)
    case .thirdPartyAuthError:
      self.init(
        code: 401, status: "UNAUTHENTICATED", message: "Auth error from APNS or Web Push Service",
        fcmCode: fcmCode)
    }
  }

  var response: HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("error")
    writer.beginObject()
    writer.member("code", code)
    writer.member("message", message)
    writer.member("status", status)
    if fcmCode != nil || !violations.isEmpty { writeDetails(to: &writer) }
    writer.endObject()
    writer.endObject()
    return .json(code, writer.bytes)
  }

  private func writeDetails(to writer: inout JSONWriter) {
    writer.key("details")
    writer.beginArray()
    if let fcmCode {
      writer.beginObject()
      writer.member("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
      writer.member("errorCode", fcmCode.rawValue)
      writer.endObject()
    }
    if !violations.isEmpty {
      writer.beginObject()
      writer.member("@type", "type.googleapis.com/google.rpc.BadRequest")
      writer.key("fieldViolations")
      writer.beginArray()
      for violation in violations {
        writer.beginObject()
        writer.member("field", violation.field)
        writer.member("description", violation.description)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }
}
