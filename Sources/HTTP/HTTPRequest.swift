import EventLoop

/// A whole request: its body has been read.
public struct HTTPRequest: Sendable {
  /// The method as the peer sent it; methods are case-sensitive (RFC 9110, section 9.1).
  public var method: String
  /// The path of the request target, still percent-encoded and without the query; `*` for `OPTIONS *`.
  public var path: String
  /// What followed the first `?` of the request target, without it and still percent-encoded; nil
  /// without a `?`.
  public var query: String?
  /// Host and port the request was sent to: `:authority` or `Host`; nil when HTTP/1.0 named none.
  public var authority: String?
  /// `http` or `https`, from the connection and not from what the peer says.
  public var scheme: String
  public var fields: HTTPFields
  public var body: [UInt8]
  /// The peer of the connection; the loop's own view, before any proxy is believed.
  public var remoteAddress: SocketAddress?

  public init(
    method: String,
    path: String,
    query: String? = nil,
    authority: String? = nil,
    scheme: String = "http",
    fields: HTTPFields = HTTPFields(),
    body: [UInt8] = [],
    remoteAddress: SocketAddress? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.authority = authority
    self.scheme = scheme
    self.fields = fields
    self.body = body
    self.remoteAddress = remoteAddress
  }
}
