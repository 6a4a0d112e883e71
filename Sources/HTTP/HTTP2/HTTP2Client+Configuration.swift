import EventLoop

extension HTTP2Client {
  /// Limits and times of a client.
  public struct Configuration: Sendable {
    public var maxConnections = 4
    /// Streams that are used of one connection, however many more the peer allows.
    public var maxStreamsPerConnection = 1000
    /// Requests that may wait for a stream; more fail with `queueFull`.
    public var queueLimit = 10_000
    /// How often a request is sent again because the peer had refused it unseen.
    public var maxRefusals = 3
    /// Time for name look-up, TCP, TLS and the peer's first SETTINGS together.
    public var connectTimeout = Duration.seconds(6)
    /// Time for each of the steps before SETTINGS.
    public var connectTimeouts = ConnectTimeouts(
      lookUp: .seconds(2), connect: .seconds(3), handshake: .seconds(3))
    /// Failed attempts in a row before waiting requests fail with the last error.
    public var connectFailureLimit = 3
    /// Takes a connection only when ALPN chose `h2`: for TLS, where there is no knowing otherwise
    /// (RFC 9113, section 3.2).
    public var requiresALPN = false
    /// Shortest time between two connections given up with `retireConnection`.
    public var retirementInterval = Duration.seconds(10)
    /// A PING after so long without a word from the peer, while no request is open. Apple's advice is
    /// once an hour (Establishing a Connection to APNs); firewalls forget sooner.
    public var pingAfterIdle = Duration.seconds(900)
    /// The same while requests are open: tells a dead connection from a slow answer.
    public var pingAfterSilence = Duration.seconds(5)
    /// A request after so long a silence brings a PING along, so that a connection which died meanwhile costs
    /// it `pingTimeout` and no more.
    public var pingBeforeReuse = Duration.seconds(10)
    /// A PING unanswered for so long ends the connection.
    public var pingTimeout = Duration.seconds(5)
    /// A connection without a request for so long is closed, when another one is there.
    public var spareTimeout = Duration.seconds(300)
    public var session = HTTP2ClientSession.Configuration()

    public init() {}
  }

  /// What an operator may want to read in a log.
  public enum Notice: Sendable {
    case connected
    /// `cancelled` when we closed it.
    case disconnected(HTTP2ClientError)
    /// The debug data is the peer's text, from APNs a JSON object with a reason.
    case goAway(HTTP2ErrorCode, debugData: [UInt8])
  }

  /// What a client has done and has under way.
  public struct Counters: Sendable, Equatable {
    /// Connections that came about, since the start.
    public var connectionsOpened = 0
    /// Connections that ended or did not come about, since the start.
    public var connectionsClosed = 0
    public var requestsSent = 0
    /// At present.
    public var openConnections = 0
    public var activeStreams = 0
    public var queuedRequests = 0
  }
}
