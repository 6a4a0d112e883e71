import HTTP
import JSON

extension MockGateway {
  /// Why APNs refuses a request (Apple, "Handling notification responses from APNs").
  public enum APNsReason: String, CaseIterable, Sendable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// The status code that goes with it.
    public var status: Int {
      switch self {
      case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
        .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
        .missingTopic, .payloadEmpty, .topicDisallowed:
        400
      case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyInToken, .expiredProviderToken,
        .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
        403
      case .badPath: 404
      case .methodNotAllowed: 405
      case .expiredToken, .unregistered: 410
      case .payloadTooLarge: 413
      case .tooManyProviderTokenUpdates, .tooManyRequests: 429
      case .internalServerError: 500
      case .serviceUnavailable, .shutdown: 503
      }
    }

    /// The answer that says so. `timestamp` is in milliseconds since the epoch.
    func response(timestamp: UInt64? = nil) -> HTTPResponse {
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("reason", rawValue)
      if let timestamp { writer.member("timestamp", timestamp) }
      writer.endObject()
      return .json(status, writer.bytes)
    }
  }
}
