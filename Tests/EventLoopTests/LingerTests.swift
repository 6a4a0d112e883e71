import Bytes
import EventLoop
import Testing

/// Counts what becomes of one end of a connection.
private final class Peer: TransportDelegate {
  var transport: (any Transport)?
  var onConnect: () -> Void = {}
  var onEOF: () -> Void = {}
  var onClose: (TransportError?) -> Void = { _ in }

  func transportDidConnect(_ transport: any Transport) { onConnect() }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {}
  func transportDidReadEOF(_ transport: any Transport) { onEOF() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { onClose(error) }
}

@Suite(.timeLimit(.minutes(10))) struct LingerTests {
  private struct Outcome: Sendable {
    var wasReset = false
    var lingering = -1
    var afterwards = -1
  }

  /// Two connections are closed in one turn where one may linger: the other is over at once, which its client, writing
  /// on, is told by a reset. The place is free again once its client has gone.
  @Test func onlySoManySocketsLinger() async throws {
    let outcome: Outcome = try await onLoop { loop, report in
      loop.maximumLingering = 1
      guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
        let listener = try? Listener(loop: loop, address: address)
      else { return report(Outcome()) }
      let accepted = Box<[SocketTransport]>([])
      let clients = [Peer(), Peer()]
      let outcome = Box(Outcome())
      func end() {
        for client in clients {
          client.onClose = { _ in }
          client.transport?.abort()
          client.transport = nil
        }
        listener.close()
      }
      func awaitFreePlaces() {
        outcome.value.afterwards = loop.lingeringSockets
        guard loop.lingeringSockets > 0 else { return report(outcome.value) }
        loop.schedule(after: .milliseconds(1), awaitFreePlaces)
      }
      func judge(wasReset: Bool) {
        guard outcome.value.lingering < 0 else { return }
        outcome.value.wasReset = wasReset
        outcome.value.lingering = loop.lingeringSockets
        end()
        awaitFreePlaces()
      }
      try? listener.start { socket, peer in
        let transport = SocketTransport(loop: loop, accepted: socket, from: peer)
        accepted.value.append(transport)
        transport.start(handshakeTimeout: .seconds(5))
        guard accepted.value.count == clients.count else { return }
        for transport in accepted.value { transport.close() }
        accepted.value = []
      }
      for client in clients {
        let transport = SocketTransport.connect(
          loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5))
        client.transport = transport
        transport.delegate = client
        client.onEOF = { transport.write([1]) }
        client.onClose = { error in judge(wasReset: error != nil) }
      }
      // Reached only when no connection is reset.
      loop.schedule(after: .seconds(5)) { judge(wasReset: false) }
    }
    #expect(outcome.wasReset)
    #expect(outcome.lingering == 1)
    #expect(outcome.afterwards == 0)
  }
}
