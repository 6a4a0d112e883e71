/// A request to a gateway, ready for HTTP/2. Built once a push: a repetition sends the same bytes.
public struct GatewayRequest: Sendable {
  /// In order, pseudo-header fields first (RFC 9113 section 8.3), names in lower case.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  /// A POST to `https://authority path` with `fields` and the length of `body`.
  init(authority: String, path: String, fields: [(name: String, value: String)], body: [UInt8]) {
    headers = [
      (":method", "POST"), (":scheme", "https"), (":authority", authority), (":path", path),
    ]
    headers += fields
    headers.append(("content-length", String(body.count)))
    self.body = body
  }

  /// The value of the first header called `name`.
  public func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// Puts `value` in place of the authorization, for a repetition with a new token.
  public mutating func replaceAuthorization(_ value: String) {
    for index in headers.indices where headers[index].name == "authorization" {
      headers[index].value = value
    }
  }
}
