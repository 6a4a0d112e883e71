/// An HTTP proxy that lets connections through with CONNECT (RFC 9110 section 9.3.6).
public struct OutboundProxy: Sendable, Equatable, CustomStringConvertible {
  public var host: String
  public var port: UInt16
  /// For Basic authentication (RFC 7617); nil for none.
  public var credentials: Credentials?

  public struct Credentials: Sendable, Equatable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  public init(host: String, port: UInt16, credentials: Credentials? = nil) {
    self.host = host
    self.port = port
    self.credentials = credentials
  }

  /// Without the credentials.
  public var description: String { "\(host):\(port)" }
}
