/// How long each step on the way to an open transport may take.
public struct ConnectTimeouts: Sendable, Equatable {
  /// Name to addresses.
  public var lookUp: Duration
  /// TCP, over all addresses; with a proxy, its answer on top of that once more.
  public var connect: Duration
  /// The layer's handshake, such as TLS.
  public var handshake: Duration

  public init(lookUp: Duration, connect: Duration, handshake: Duration) {
    self.lookUp = lookUp
    self.connect = connect
    self.handshake = handshake
  }

  /// The same for each step.
  public init(each timeout: Duration) {
    self.init(lookUp: timeout, connect: timeout, handshake: timeout)
  }
}

/// What a transport waits for before it has a socket.
protocol TransportOpening: AnyObject {
  /// Ends it without a report.
  func cancel()
}
