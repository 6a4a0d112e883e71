/// How a server treats its connections.
public struct HTTPServerOptions: Sendable {
  public var limits = HTTPLimits()
  /// From the first byte of a request, or from the connection's start, to the end of the head.
  public var headTimeout = Duration.seconds(10)
  /// From the end of the head to the end of the body.
  public var bodyTimeout = Duration.seconds(30)
  /// How long a connection may wait for its next request.
  public var idleTimeout = Duration.seconds(75)
  /// How long a peer may take none of the bytes that wait for it.
  public var writeTimeout = Duration.seconds(30)
  /// Bounds the TLS handshake.
  public var handshakeTimeout = Duration.seconds(10)
  /// How long a connection without a request is kept when the server stops: a client that was about to send
  /// one gets an answer that says that it is the last, instead of a closed connection.
  public var drainTimeout = Duration.milliseconds(500)
  /// Connections of this server at once; one more is closed as soon as it is accepted.
  public var maximumConnections = 10_000
  /// After that many requests a connection is closed in good order; nil for no limit.
  public var maximumRequestsPerConnection: Int?
  /// Makes the answer to a request that was refused before it reached the handler, and to one whose
  /// handler gave none, from a status code and a reason for the peer.
  public var errorResponse: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse = { status, reason in
    .text(status, reason + "\n")
  }

  public init() {}

  /// The shortest of the timeouts that watch an open connection.
  var shortestTimeout: Duration {
    min(min(headTimeout, bodyTimeout), min(idleTimeout, writeTimeout))
  }
}
