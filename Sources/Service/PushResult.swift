import Relay
import Store

/// How a push ended, as the relay is to hear it. The API gives each case its status (one match there).
public enum PushResult: Sendable, Equatable {
  /// APNs or FCM accepted the notification.
  case accepted
  /// This message was delivered to this client before.
  case alreadyDelivered
  /// No such client: the relay is told to stop.
  case unknownClient
  /// The device token is dead; `reason` is the gateway's.
  case clientDeleted(reason: String)
  /// The body cannot be used.
  case invalidBody(PushBodyError)
  /// The signature or its timestamp is missing or wrong.
  case unauthorized(RelaySignatureError)
  /// Too many wrong signatures from one address. Seconds.
  case rateLimited(retryAfter: Int)
  /// Too large for the gateway, even trimmed.
  case payloadTooLarge
  /// The client's kind of token has no gateway in the configuration.
  case providerNotAvailable(kind: String)
  /// The gateway refuses us, not the token: a retry cannot help until an operator acts.
  case gatewayRejected(reason: String)
  /// The gateway throttles beyond our deadline. Seconds.
  case gatewayBusy(retryAfter: Int)
  /// The gateway fails or cannot be reached, beyond our retries.
  case gatewayUnavailable(reason: String)
  /// No answer within the push's deadline.
  case gatewayTimeout
  /// Our own queues are full, or we are shutting down. Seconds.
  case overloaded(retryAfter: Int)
  /// The store cannot answer.
  case storeFailed

  /// A short name for metrics and logs.
  public var label: PushResultLabel {
    switch self {
    case .accepted: .accepted
    case .alreadyDelivered: .duplicate
    case .unknownClient: .unknownClient
    case .clientDeleted: .clientDeleted
    case .invalidBody: .invalidBody
    case .unauthorized: .unauthorized
    case .rateLimited: .rateLimited
    case .payloadTooLarge: .payloadTooLarge
    case .providerNotAvailable: .providerNotAvailable
    case .gatewayRejected: .gatewayRejected
    case .gatewayBusy: .gatewayBusy
    case .gatewayUnavailable: .gatewayUnavailable
    case .gatewayTimeout: .gatewayTimeout
    case .overloaded: .overloaded
    case .storeFailed: .storeFailed
    }
  }

  /// How the client's push counts take it; nil when no gateway was asked.
  var activity: PushActivity.Outcome? {
    switch self {
    case .accepted: .delivered
    case .clientDeleted: .deadToken
    case .payloadTooLarge, .gatewayRejected, .gatewayBusy, .gatewayUnavailable, .gatewayTimeout: .failed
    case .alreadyDelivered, .unknownClient, .invalidBody, .unauthorized, .rateLimited, .providerNotAvailable,
      .overloaded, .storeFailed:
      nil
    }
  }

  /// What an operator needs to know besides the label; no token, no message. Empty when the label says all.
  var detail: String {
    switch self {
    case .accepted, .alreadyDelivered, .unknownClient, .rateLimited, .payloadTooLarge, .gatewayTimeout,
      .overloaded, .storeFailed:
      ""
    case .clientDeleted(let reason), .gatewayRejected(let reason), .gatewayUnavailable(let reason): reason
    case .invalidBody(let error): error.description
    case .unauthorized(let error): error.description
    case .providerNotAvailable(let kind): "no gateway for \(kind) is configured"
    case .gatewayBusy(let seconds): "it asks for \(seconds) s of patience"
    }
  }
}

/// The results of a push as a metric's fixed label set.
public enum PushResultLabel: String, CaseIterable, Sendable {
  case accepted
  case duplicate
  case unknownClient = "unknown_client"
  case clientDeleted = "client_deleted"
  case invalidBody = "invalid_body"
  case unauthorized
  case rateLimited = "rate_limited"
  case payloadTooLarge = "payload_too_large"
  case providerNotAvailable = "provider_not_available"
  case gatewayRejected = "gateway_rejected"
  case gatewayBusy = "gateway_busy"
  case gatewayUnavailable = "gateway_unavailable"
  case gatewayTimeout = "gateway_timeout"
  case overloaded
  case storeFailed = "store_failed"
}
