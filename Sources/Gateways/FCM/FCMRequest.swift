/// A push as FCM's HTTP/2 request (Firebase, "Send a message using FCM HTTP v1 API").
public enum FCMRequest {
  /// FCM's host.
  public static let defaultAuthority = "fcm.googleapis.com"

  /// The request that sends `body`, made by `FCMPayload.body`.
  ///
  /// - Parameters:
  ///   - authority: the gateway's host, with its port unless that is 443.
  ///   - projectID: from the service account, which validates it.
  ///   - authorization: `Bearer <access token>`.
  public static func build(
    body: [UInt8], authority: String = defaultAuthority, projectID: String, authorization: String
  ) -> GatewayRequest {
    GatewayRequest(
      authority: authority, path: "/v1/projects/\(projectID)/messages:send",
      fields: [("authorization", authorization), ("content-type", "application/json")], body: body)
  }

  /// How long FCM may store a push that expires at `expiration`, both in seconds since the epoch: the `ttl`
  /// for `FCMPayload.body`.
  public static func ttl(expiration: UInt64, now: UInt64) -> UInt64 {
    expiration > now ? min(expiration - now, FCMPayload.maximumTTL) : 0
  }
}
