import Bytes
import Relay

/// A push as it came in.
public struct IncomingPush {
  public var client: ClientID
  public var signature: String?
  public var timestamp: String?
  public var body: [UInt8]
  /// Names the request in the log.
  public var requestID: String
  /// Whose request it is, behind proxies that are trusted; nil when that is not known.
  public var address: IPAddress?
  /// Where its story is noted.
  let trace = PushTrace()

  public init(
    client: ClientID, signature: String?, timestamp: String?, body: [UInt8], requestID: String,
    address: IPAddress? = nil
  ) {
    self.address = address
    self.client = client
    self.signature = signature
    self.timestamp = timestamp
    self.body = body
    self.requestID = requestID
  }
}
