import Bytes

/// A push as APNs' HTTP/2 request (Apple, "Sending notification requests to APNs").
public enum APNsRequest {
  /// Hex digits of a device token taken at most. Today's have 64; Apple says not to rely on that.
  public static let maximumTokenLength = 200

  /// The path for `deviceToken`; nil when it is no hex, so that no device can ever have it.
  public static func path(deviceToken: String) -> String? {
    guard !deviceToken.isEmpty, deviceToken.utf8.count <= maximumTokenLength,
      let bytes = Hex.decode(deviceToken)
    else { return nil }
    return "/3/device/" + Hex.encode(bytes)
  }

  /// The outcome for a device token that `path(deviceToken:)` refuses: what Apple would answer, without asking.
  public static let malformedToken = GatewayOutcome.deadToken(reason: "BadDeviceToken", since: nil)

  /// The request that sends `payload` for `push`; nil when its device token is no hex.
  ///
  /// - Parameters:
  ///   - authority: the gateway's host, with its port unless that is 443.
  ///   - topic: the app's bundle ID.
  ///   - authorization: `bearer <provider token>`; nil when the connection has a client certificate.
  public static func build(
    _ push: GatewayPush, payload: [UInt8], authority: String, topic: String, authorization: String?
  ) -> GatewayRequest? {
    guard let path = path(deviceToken: push.deviceToken) else { return nil }
    var fields: [(name: String, value: String)] = []
    fields.reserveCapacity(8)
    if let authorization { fields.append(("authorization", authorization)) }
    let id = push.id.description
    fields.append(("apns-topic", topic))
    fields.append(("apns-push-type", "alert"))
    fields.append(("apns-priority", "10"))
    fields.append(("apns-expiration", String(push.expiration)))
    fields.append(("apns-id", id))
    // Apple does not promise to fold equal IDs. With a collapse ID a repeated push replaces the first one on
    // the device instead of showing twice.
    fields.append(("apns-collapse-id", id))
    fields.append(("content-type", "application/json"))
    return GatewayRequest(authority: authority, path: path, fields: fields, body: payload)
  }
}
