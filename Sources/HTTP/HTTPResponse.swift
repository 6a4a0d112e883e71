/// A whole response. The connection adds what belongs to the framing (`content-length`, `date`,
/// `connection`) and leaves out the body where there must be none (HEAD, 204, 304).
public struct HTTPResponse: Sendable {
  /// The final status code, 200 to 599; anything else is sent as 500.
  public var status: Int
  public var fields: HTTPFields
  public var body: [UInt8]

  public init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response without a body.
  public static func empty(_ status: Int) -> HTTPResponse {
    HTTPResponse(status: status)
  }

  /// A body that is JSON already.
  public static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: status,
      fields: [HTTPField(lowerCaseName: "content-type", value: "application/json")],
      body: body)
  }

  /// Plain text in UTF-8.
  public static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status: status,
      fields: [HTTPField(lowerCaseName: "content-type", value: "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }
}
