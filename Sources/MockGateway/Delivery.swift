import EventLoop
import HTTP
import JSON

extension MockGateway {
  /// A notification that was accepted.
  public struct Delivery: Sendable {
    public var service: Service
    public var deviceToken: String
    /// The request's header fields.
    public var fields: HTTPFields
    /// The request's body.
    public var payload: JSONValue
    /// The connection's number, counted from 1 over all services.
    public var connection: Int
    public var stream: Int32
    public var time: MonotonicTime
  }

  /// What happened at one service since the start or the last reset.
  public struct Counters: Sendable, Equatable {
    /// TCP connections accepted, whether or not a handshake came about.
    public var connectionsAccepted = 0
    /// Connections whose TLS handshake was done.
    public var connectionsOpened = 0
    /// Of these, open now; a reset does not touch it.
    public var connectionsOpen = 0
    /// Requests that came, whatever became of them.
    public var requests = 0
    /// Notifications accepted, or access tokens issued.
    public var accepted = 0
    /// Requests that verification refused, by reason: Apple's reason, FCM's status, OAuth's error.
    public var refusals: [String: Int] = [:]

    public init() {}
  }
}
