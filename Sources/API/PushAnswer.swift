import HTTP
import Relay
import Service

extension PushResult {
  /// What the relay gets. The relay retries 5xx and takes anything else as final, so 5xx is only for what
  /// a retry can mend (PROTOCOL: what pushbox answers).
  var response: HTTPResponse {
    switch self {
    case .accepted: APIResponse.success(202)
    case .alreadyDelivered: APIResponse.success(200)
    case .unknownClient: APIResponse.success(202)
    case .clientDeleted(let reason):
      APIResponse.failure(
        202, name: "client_deleted", message: "the device token is dead (\(reason)): the client was dropped")
    case .invalidBody(let error):
      APIResponse.failure(
        error.status, name: error.name, message: error.description, fields: error.fields)
    case .unauthorized(let error):
      APIResponse.failure(
        401, name: RelaySignatureError.name, message: error.description, fields: error.fields)
    case .rateLimited(let seconds):
      APIResponse.rateLimited(seconds, "too many pushes with a wrong signature came from this address")
    case .payloadTooLarge:
      APIResponse.failure(
        413, name: "payload_too_large", message: "the notification is larger than the gateway takes")
    case .providerNotAvailable(let kind):
      APIResponse.failure(
        400, name: "provider_not_available",
        message: "the client's provider \(kind) is not configured on this server any more")
    case .gatewayRejected(let reason):
      APIResponse.failure(
        424, name: "gateway_rejected",
        message: "the gateway refuses this server (\(reason)): its operator must act, a retry cannot help")
    case .gatewayBusy(let seconds):
      APIResponse.failure(
        503, name: "gateway_busy", message: "the gateway throttles", retryAfter: seconds)
    case .gatewayUnavailable:
      APIResponse.failure(
        502, name: "gateway_unavailable", message: "the gateway failed or cannot be reached")
    case .gatewayTimeout:
      APIResponse.failure(504, name: "gateway_timeout", message: "the gateway did not answer in time")
    case .overloaded(let seconds):
      APIResponse.failure(
        503, name: "overloaded", message: "too many pushes are under way", retryAfter: seconds)
    case .storeFailed:
      APIResponse.failure(503, name: "store", message: "the store cannot answer", retryAfter: 5)
    }
  }
}

extension PushBodyError {
  /// A blob that does not decode is final for the relay, as in the Rust server.
  fileprivate var status: Int {
    switch self {
    case .malformed, .notAnObject, .fields: 400
    case .undecodableBlob: 202
    }
  }
}

extension RegistrationResult {
  /// What the wallet gets.
  var response: HTTPResponse {
    switch self {
    case .done: APIResponse.success()
    case .unauthenticated(let error):
      APIResponse.failure(
        401, name: ClientAuthenticationError.name, message: error.description, fields: error.fields)
    case .authenticationMissing:
      APIResponse.failure(
        401, name: ClientAuthenticationError.name,
        message: "this client must send the Authorization header with its signed token",
        fields: [RequestField("authorization", "is missing", .header)])
    case .providerNotAvailable(let kind):
      APIResponse.failure(
        400, name: "provider_not_available",
        message: "the provider \(kind) is not currently available: this server has no credentials for it",
        fields: [RequestField("type", "\(kind) is not configured on this server", .body)])
    case .invalid(let text):
      APIResponse.failure(
        400, name: "field", message: text, fields: [RequestField("token", text, .body)])
    case .storeBusy:
      APIResponse.failure(
        503, name: "store", message: "the store is busy or full: try again later", retryAfter: 5)
    case .storeFailed:
      APIResponse.failure(500, name: "store", message: "the store failed")
    }
  }
}
