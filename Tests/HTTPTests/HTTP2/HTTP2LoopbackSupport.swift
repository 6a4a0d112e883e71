import EventLoop
import HTTP
import Testing

/// Runs `body` and then a loop, until something calls `loop.stop()`; a test that hangs for `limit` fails.
///
/// On a thread of its own: a loop would take one of the few threads that all tests share.
func withLoop(
  _ limit: Duration = .seconds(120), _ body: @escaping (EventLoop) throws -> Void
) async throws {
  let work = Lent(limit: limit, body: body)
  var thread: SystemThread?
  defer {
    // The thread sanitizer does not see that a continuation which was resumed before its task waited orders
    // the two threads; it sees this.
    thread?.join()
  }
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    do {
      thread = try SystemThread(name: "http2-test") { continuation.resume(with: Result { try work.run() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

/// Runs `action` once `holds` does; a test for which that never comes hangs until its `withLoop` ends it.
func when(_ loop: EventLoop, _ holds: @escaping () -> Bool, _ action: @escaping () -> Void) {
  guard !holds() else { return action() }
  loop.schedule(after: .milliseconds(1)) { when(loop, holds, action) }
}

/// Work for another thread. Safe to send: whoever lent it is suspended until it is done.
private struct Lent: @unchecked Sendable {
  let limit: Duration
  let body: (EventLoop) throws -> Void

  func run() throws {
    let loop = try EventLoop()
    try body(loop)
    loop.schedule(after: limit) {
      Issue.record("the test hangs")
      loop.stop()
    }
    loop.run()
  }
}

/// Listens on a free port and hands each connection to `accept`.
func listen(_ loop: EventLoop, _ accept: @escaping (SocketTransport) -> Void) throws -> Listener {
  let address = try #require(SocketAddress(ip: "127.0.0.1", port: 0))
  let listener = try Listener(loop: loop, address: address)
  try listener.start { socket, peer in
    let transport = SocketTransport(loop: loop, accepted: socket, from: peer)
    accept(transport)
    transport.start(handshakeTimeout: .seconds(5))
  }
  return listener
}

/// A client that speaks HTTP/2 over plain TCP, knowing that the server does (RFC 9113, section 3.3).
func plainClient(
  _ loop: EventLoop, port: @escaping () -> UInt16,
  _ change: (inout HTTP2Client.Configuration) -> Void = { _ in }
) -> HTTP2Client {
  var configuration = HTTP2Client.Configuration()
  change(&configuration)
  return HTTP2Client(loop: loop, configuration: configuration) { loop, delegate in
    let transport = SocketTransport.connect(loop: loop, host: "127.0.0.1", port: port(), timeout: .seconds(5))
    transport.delegate = delegate
    return transport
  }
}

/// A server whose every answer, or lack of one, the test decides.
final class ScriptedPeer: TransportDelegate, TurnEndAction {
  typealias Script = (ScriptedPeer, HTTP2ServerEvent) -> Void

  let session: HTTP2ServerSession
  let transport: any Transport
  private let loop: EventLoop
  private let script: Script
  private(set) var isClosed = false
  /// Takes in nothing more and says nothing more.
  var isDead = false

  init(
    loop: EventLoop, transport: any Transport, configuration: HTTP2ServerSession.Configuration = .init(),
    _ script: @escaping Script
  ) throws {
    session = try HTTP2ServerSession(configuration)
    self.transport = transport
    self.loop = loop
    self.script = script
    transport.delegate = self
  }

  func flush() {
    loop.atTurnEnd(self)
  }

  func turnWillEnd() {
    guard !isDead else { return }
    while let output = try? session.nextOutput(), !output.isEmpty { transport.write(output) }
    if session.isFinished { transport.close() }
  }

  func transportDidConnect(_ transport: any Transport) {
    flush()
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    guard !isDead else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes, now: loop.now)
    } catch {
      return transport.abort()
    }
    while let event = session.nextEvent() { script(self, event) }
    flush()
  }

  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { isClosed = true }
}

/// Scripted peers on a listener; keeps them.
final class ScriptedServer {
  private(set) var peers: [ScriptedPeer] = []
  private(set) var listener: Listener?
  var port: UInt16 { listener?.localAddress.port ?? 0 }

  /// `script` gets the connection's number too.
  init(
    _ loop: EventLoop, _ configuration: HTTP2ServerSession.Configuration = .init(),
    _ script: @escaping (Int, ScriptedPeer, HTTP2ServerEvent) -> Void
  ) throws {
    listener = try listen(loop) { [weak self] transport in
      guard let self else { return }
      let number = self.peers.count
      if let peer = try? ScriptedPeer(
        loop: loop, transport: transport, configuration: configuration, { script(number, $0, $1) })
      {
        self.peers.append(peer)
      }
    }
  }
}
