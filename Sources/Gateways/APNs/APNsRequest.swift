import Bytes
import HTTP

/// A push as APNs' HTTP/2 request (Apple, "Sending notification requests to APNs").
public enum APNsRequest {
  /// Hex digits of a device token taken at most. Today's have 64; Apple says not to rely on that.
  public static let maximumTokenLength = 200

  private static let pathPrefix = "/3/device/"

  /// The path for `deviceToken`; nil when it is no hex, so that no device can ever have it.
  public static func path(deviceToken: String) -> String? {
    let digits = deviceToken.utf8
    guard !digits.isEmpty, digits.count <= maximumTokenLength, digits.count % 2 == 0,
      digits.allSatisfy({ Hex.digitValue($0) != nil })
    else { return nil }
    return String(unsafeUninitializedCapacity: pathPrefix.utf8.count + digits.count) { buffer in
      var (_, end) = buffer.update(from: pathPrefix.utf8)
      for digit in digits {
        // Digits have this bit set already; capital letters are lowered by it.
        buffer[end] = digit | 0x20
        end += 1
      }
      return end
    }
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
  ) -> HTTPRequest? {
    guard let path = path(deviceToken: push.deviceToken) else { return nil }
    var fields = HTTPFields()
    fields.reserveCapacity(8)
    if let authorization { fields.add("authorization", authorization) }
    let id = push.id.description
    fields.add("apns-topic", topic)
    fields.add("apns-push-type", "alert")
    fields.add("apns-priority", "10")
    fields.add("apns-expiration", String(push.lifetime.expiration))
    fields.add("apns-id", id)
    // Apple does not promise to fold equal IDs. With a collapse ID a repeated push replaces the first one on
    // the device instead of showing twice.
    fields.add("apns-collapse-id", id)
    fields.add("content-type", "application/json")
    return HTTPRequest(
      method: "POST", path: path, authority: authority, scheme: "https", fields: fields, body: payload)
  }
}
