import Bytes
import EventLoop

/// A server on one loop: a listener and the connections that came by it. Loop thread only.
///
/// Several workers serve one address by a server each, with `reusePort`. Call `stop` before letting go
/// of a server: its listener and its connections live on the loop.
public final class HTTPServer {
  private struct Open {
    let connection: any HTTPServerConnection
    /// What it counts for at the limiter.
    let network: IPAddress?
  }

  /// Makes the TLS layer of sockets accepted from now on; nil serves plain HTTP.
  public var makeLayer: SocketTransport.LayerFactory?
  private let context: HTTPServerContext
  private let limiter: ConnectionLimiter?
  private var listeners: [Listener] = []
  private var connections: [ObjectIdentifier: Open] = [:]
  private var isStopping = false
  private var stopTimer: Timer?
  /// Runs until connections without a request need not be kept any more.
  private var drainTimer: Timer?
  private var onStopped: (() -> Void)?

  /// - Parameters:
  ///   - limiter: counts the connections of each address, if need be over several servers.
  ///   - makeLayer: makes the TLS layer of an accepted socket; nil serves plain HTTP.
  public init(
    loop: EventLoop, options: HTTPServerOptions = HTTPServerOptions(), handler: any HTTPHandler,
    limiter: ConnectionLimiter? = nil, makeLayer: SocketTransport.LayerFactory? = nil
  ) {
    self.limiter = limiter
    context = HTTPServerContext(loop: loop, options: options, handler: handler)
    self.makeLayer = makeLayer
  }

  /// New values hold in full for connections accepted from now on; open ones may keep some of the old.
  public var options: HTTPServerOptions {
    get { context.options }
    set { context.options = newValue }
  }

  public var counters: HTTPServerCounters {
    var counters = context.counters
    counters.connectionsOpen = connections.count
    return counters
  }

  /// Where it listens, with the port that the kernel chose if 0 was asked for; nil before `start` and
  /// after `stop`.
  public var localAddress: SocketAddress? { listeners.first?.localAddress }

  /// Listens at `address`. Once only.
  public func start(at address: SocketAddress, reusePort: Bool = false) throws(SystemError) {
    try start(Listener(loop: context.loop, address: address, reusePort: reusePort))
  }

  /// Accepts from `sockets`, which listen at one address already. Instead of `start(at:)`, once only.
  public func start(sharing sockets: [ListeningSocket]) throws(SystemError) {
    for socket in sockets { try start(Listener(loop: context.loop, sharing: socket)) }
  }

  /// What it listens at, to be handed on; valid until `stop`.
  public var listeningSockets: [ListeningSocket] { listeners.map(\.socket) }

  private func start(_ listener: Listener) throws(SystemError) {
    try listener.start { [weak self] socket, address in
      self?.accept(socket, address)
    }
    listeners.append(listener)
  }

  /// Accepts no more, lets each connection finish what it has begun, and closes what is left after
  /// `grace`. `completion` is called once all connections have ended.
  public func stop(grace: Duration, _ completion: @escaping () -> Void) {
    guard !isStopping else { return }
    onStopped = completion
    // Takes in what waits to be accepted.
    for listener in listeners { listener.close() }
    listeners = []
    isStopping = true
    for open in connections.values {
      open.connection.shutdown()
    }
    if connections.isEmpty {
      finishStop()
    } else {
      stopTimer = context.loop.schedule(after: grace) { [weak self] in self?.abortAll() }
      drainTimer = context.loop.schedule(after: min(grace, context.options.drainTimeout)) { [weak self] in
        self?.shutdownIdle()
      }
    }
  }

  private func shutdownIdle() {
    drainTimer = nil
    for open in connections.values {
      open.connection.shutdownIdle()
    }
  }

  private func accept(_ socket: consuming Socket, _ address: SocketAddress) {
    // Dropping the socket closes it.
    let network = limiter?.open(address)
    guard limiter == nil || network != nil else {
      context.counters.connectionsRefusedByAddress += 1
      return
    }
    guard connections.count < context.options.maximumConnections else {
      if let network { limiter?.close(network) }
      context.counters.connectionsRefused += 1
      return
    }
    context.counters.connectionsAccepted += 1
    let transport = SocketTransport(
      loop: context.loop, accepted: socket, from: address, makeLayer: makeLayer)
    if makeLayer == nil {
      adopt(HTTP1ServerConnection(transport: transport, context: context), of: network)
    } else {
      let pending = NegotiatingConnection(transport: transport)
      pending.onNegotiated = { [weak self] pending in
        guard let self else { return transport.abort() }
        self.replace(pending, by: self.makeConnection(transport))
      }
      adopt(pending, of: network)
    }
    transport.start(handshakeTimeout: context.options.handshakeTimeout)
  }

  /// The connection for what ALPN chose.
  private func makeConnection(_ transport: any Transport) -> any HTTPServerConnection {
    if transport.negotiatedProtocol == "h2",
      let connection = try? HTTP2ServerConnection(transport: transport, context: context)
    {
      return connection
    }
    return HTTP1ServerConnection(transport: transport, context: context, scheme: "https")
  }

  private func replace(_ old: any HTTPServerConnection, by new: any HTTPServerConnection) {
    let network = connections.removeValue(forKey: ObjectIdentifier(old))?.network
    adopt(new, of: network)
  }

  private func adopt(_ connection: any HTTPServerConnection, of network: IPAddress?) {
    let key = ObjectIdentifier(connection)
    connections[key] = Open(connection: connection, network: network)
    connection.onClose = { [weak self] in self?.remove(key) }
    guard isStopping else { return }
    connection.shutdown()
    if drainTimer == nil { connection.shutdownIdle() }
  }

  private func remove(_ key: ObjectIdentifier) {
    if let network = connections.removeValue(forKey: key)?.network { limiter?.close(network) }
    if isStopping, connections.isEmpty {
      finishStop()
    }
  }

  private func abortAll() {
    for open in connections.values {
      open.connection.abort()
    }
  }

  private func finishStop() {
    stopTimer?.cancel()
    stopTimer = nil
    drainTimer?.cancel()
    drainTimer = nil
    let completion = onStopped
    onStopped = nil
    completion?()
  }
}

/// A connection whose TLS handshake goes on, so that its protocol is not known yet.
private final class NegotiatingConnection: HTTPServerConnection {
  var onClose: (() -> Void)?
  /// Makes and installs the connection that takes over the transport.
  var onNegotiated: ((NegotiatingConnection) -> Void)?
  private let transport: any Transport

  init(transport: any Transport) {
    self.transport = transport
    transport.delegate = self
  }

  /// The handshake's timeout bounds it; what it leads to is shut down then.
  func shutdown() {}

  func abort() {
    transport.abort()
  }

  func transportDidConnect(_ transport: any Transport) {
    let action = onNegotiated
    onNegotiated = nil
    action?(self)
    transport.delegate?.transportDidConnect(transport)
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {}
  func transportDidReadEOF(_ transport: any Transport) {}
  func transportDidDrain(_ transport: any Transport) {}

  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    let onClose = self.onClose
    self.onClose = nil
    onClose?()
  }
}
