import HTTP

/// A push as FCM's HTTP/2 request (Firebase, "Send a message using FCM HTTP v1 API").
public enum FCMRequest {
  /// The path for all pushes of a project.
  ///
  /// - Parameter projectID: from the service account, which validates it.
  public static func path(projectID: String) -> String {
    "/v1/projects/\(projectID)/messages:send"
  }

  /// The request that sends `body`, made by `FCMPayload.body`.
  ///
  /// - Parameters:
  ///   - authority: the gateway's host, with its port unless that is 443.
  ///   - path: from `path(projectID:)`.
  ///   - authorization: `Bearer <access token>`.
  public static func build(
    body: [UInt8], authority: String, path: String, authorization: String
  ) -> HTTPRequest {
    var fields = HTTPFields()
    fields.reserveCapacity(2)
    fields.add("authorization", authorization)
    fields.add("content-type", "application/json")
    return HTTPRequest(
      method: "POST", path: path, authority: authority, scheme: "https", fields: fields, body: body)
  }
}
