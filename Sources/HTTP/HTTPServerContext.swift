import EventLoop

/// What happened at one server since its start, and how many connections it has now.
public struct HTTPServerCounters: Sendable, Hashable {
  public var connectionsAccepted: UInt64 = 0
  /// Closed on arrival because of `maximumConnections`.
  public var connectionsRefused: UInt64 = 0
  /// Closed on arrival because their address has too many.
  public var connectionsRefusedByAddress: UInt64 = 0
  public var connectionsOpen = 0
  public var requests: UInt64 = 0
  /// Requests refused by the parser.
  public var requestsRefused: UInt64 = 0
  /// Connections closed because the peer was too slow in the midst of a request or an answer.
  public var timeouts: UInt64 = 0

  public init() {}
}

/// What the connections of one server share. Loop-owned.
public final class HTTPServerContext {
  public let loop: EventLoop
  public internal(set) var options: HTTPServerOptions {
    didSet { shortestTimeout = options.shortestTimeout }
  }
  public let handler: any HTTPHandler
  public internal(set) var counters = HTTPServerCounters()
  let date = HTTPDate()
  private(set) var shortestTimeout: Duration

  public init(loop: EventLoop, options: HTTPServerOptions, handler: any HTTPHandler) {
    self.loop = loop
    self.options = options
    self.handler = handler
    shortestTimeout = options.shortestTimeout
  }
}

/// A connection that a server has accepted, whatever version of HTTP it speaks. Loop thread only.
public protocol HTTPServerConnection: TransportDelegate {
  /// Called once when the connection has ended.
  var onClose: (() -> Void)? { get set }
  /// Finishes what was begun, then closes. Where the protocol cannot tell the peer without an answer, one more
  /// request is served.
  func shutdown()
  /// Follows `shutdown` after `HTTPServerOptions.drainTimeout`: closes unless a request is under way.
  func shutdownIdle()
  /// Closes at once; the peer sees a reset.
  func abort()
}

extension HTTPServerConnection {
  public func shutdownIdle() {}
}
