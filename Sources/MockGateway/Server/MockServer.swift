import Bytes
import EventLoop
import HTTP
import TLS

/// What the connections of one server share. Loop-owned.
final class ServerContext {
  let loop: EventLoop
  let service: MockGateway.Service
  let handler: any RequestHandler
  let log: DeliveryLog
  let reactions: ReactionBook
  let switches: Locked<APNsSwitches>
  /// What a connection grants, unless Apple's habit holds it at one.
  var maxConcurrentStreams: Int

  init(
    loop: EventLoop, service: MockGateway.Service, handler: any RequestHandler, log: DeliveryLog,
    reactions: ReactionBook, switches: Locked<APNsSwitches>
  ) {
    self.loop = loop
    self.service = service
    self.handler = handler
    self.log = log
    self.reactions = reactions
    self.switches = switches
    maxConcurrentStreams = service.defaultMaxConcurrentStreams
  }

  var limitsStreams: Bool { service.isAPNs && switches.withLock { $0.limitsStreams } }
}

/// One listener and the connections that came by it. Loop thread only, but for `init`.
final class MockServer {
  private static let handshakeTimeout = Duration.seconds(10)

  let context: ServerContext
  /// Where it listens, or did.
  let address: SocketAddress
  /// For new connections.
  var tls: TLSContext
  var fault: MockGateway.ConnectionFault?
  private var faulty: [ObjectIdentifier: FaultyPeer] = [:]
  private let nextConnection: ConnectionNumbers
  private var listener: Listener?
  private var connections: [Int: MockConnection] = [:]
  /// Accepted and never spoken to.
  private var blackHole: [SocketTransport] = []
  private var isBlackHole = false

  /// Binds `port` of 127.0.0.1; 0 takes a free one.
  init(
    context: ServerContext, port: UInt16, tls: TLSContext, numbers: ConnectionNumbers
  ) throws(SystemError) {
    self.context = context
    self.tls = tls
    nextConnection = numbers
    guard let wanted = SocketAddress(ip: "127.0.0.1", port: port) else {
      throw SystemError(call: "inet_pton", code: 22, subject: "127.0.0.1")
    }
    let listener = try Listener(loop: context.loop, address: wanted)
    address = listener.localAddress
    self.listener = listener
  }

  func start() throws(SystemError) {
    try listener?.start { [weak self] socket, peer in self?.accept(socket, peer) }
  }

  /// Refuses connections from now on; those there are go on.
  func stopListening() {
    listener?.close()
    listener = nil
  }

  /// Listens on the same port again.
  func listenAgain() throws(SystemError) {
    guard listener == nil else { return }
    listener = try Listener(loop: context.loop, address: address)
    try start()
  }

  /// Accepts connections and never answers their handshake. Turned off, those held so are closed.
  func setBlackHole(_ isOn: Bool) {
    isBlackHole = isOn
    guard !isOn else { return }
    for transport in blackHole { transport.abort() }
    blackHole = []
  }

  var oldestConnection: MockConnection? { connections.min { $0.key < $1.key }?.value }

  func forEachConnection(_ body: (MockConnection) -> Void) {
    for connection in Array(connections.values) { body(connection) }
  }

  func close() {
    stopListening()
    setBlackHole(false)
    forEachConnection { $0.disconnect() }
  }

  private func accept(_ socket: consuming Socket, _ peer: SocketAddress) {
    context.log.count(context.service) { $0.connectionsAccepted += 1 }
    if isBlackHole {
      blackHole.append(SocketTransport(loop: context.loop, accepted: socket, from: peer))
      return
    }
    if let fault { return mistreat(socket, peer, fault) }
    let tls = tls
    let transport = SocketTransport(loop: context.loop, accepted: socket, from: peer) {
      tls.makeLayer(fd: $0)
    }
    let number = nextConnection.next()
    guard let connection = try? MockConnection(number: number, transport: transport, context: context) else {
      return transport.abort()
    }
    connections[number] = connection
    connection.onClose = { [weak self] in self?.connections[number] = nil }
    transport.start(handshakeTimeout: Self.handshakeTimeout)
  }
}

extension MockServer {
  private func mistreat(
    _ socket: consuming Socket, _ peer: SocketAddress, _ fault: MockGateway.ConnectionFault
  ) {
    let tls = tls
    let transport: SocketTransport
    let bytes: [UInt8]
    switch fault {
    case .truncatedTLS:
      transport = SocketTransport(loop: context.loop, accepted: socket, from: peer)
      // A handshake record of 122 bytes (RFC 8446 section 5.1), of which two follow.
      bytes = [0x16, 0x03, 0x03, 0x00, 0x7A, 0x02, 0x00]
    case .garbage:
      transport = SocketTransport(loop: context.loop, accepted: socket, from: peer) { tls.makeLayer(fd: $0) }
      bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    }
    let peer = FaultyPeer(transport, bytes, closes: fault == .truncatedTLS)
    faulty[ObjectIdentifier(peer)] = peer
    peer.onClose = { [weak self] in self?.faulty[ObjectIdentifier($0)] = nil }
    transport.start(handshakeTimeout: Self.handshakeTimeout)
  }
}

/// A peer that says something senseless once it is connected. Loop thread only.
private final class FaultyPeer: TransportDelegate {
  var onClose: ((FaultyPeer) -> Void)?
  private let connection: SocketTransport
  private let bytes: [UInt8]
  private let closes: Bool

  init(_ transport: SocketTransport, _ bytes: [UInt8], closes: Bool) {
    connection = transport
    self.bytes = bytes
    self.closes = closes
    transport.delegate = self
  }

  func transportDidConnect(_ transport: any Transport) {
    transport.write(bytes)
    if closes { transport.close() }
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {}
  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { onClose?(self) }
}

/// Counts the connections of all servers, from 1. Loop-owned.
final class ConnectionNumbers {
  private var last = 0

  func next() -> Int {
    last += 1
    return last
  }
}
