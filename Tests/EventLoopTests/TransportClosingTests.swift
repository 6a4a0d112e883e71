import Bytes
import EventLoop
import Glibc
import Testing

/// Tells what becomes of one end of a connection.
private final class Peer: TransportDelegate {
  var transport: (any Transport)?
  var onConnect: () -> Void = {}
  var onRead: () -> Void = {}
  var onEOF: () -> Void = {}
  var onClose: (TransportError?) -> Void = { _ in }

  func transportDidConnect(_ transport: any Transport) { onConnect() }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) { onRead() }
  func transportDidReadEOF(_ transport: any Transport) { onEOF() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { onClose(error) }
}

/// Passes bytes on to a socket and counts the writes that it had no room for.
private final class CountingLayer: TransportLayer {
  private let descriptor: Int32
  private(set) var refusedWrites = 0
  let negotiatedProtocol: String? = nil

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func handshake() -> LayerResult { .done(0) }
  func read(into buffer: inout MutableSpan<UInt8>) -> LayerResult {
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? .done(count) : count == 0 ? .endOfStream : .wantRead
  }
  func write(_ bytes: Span<UInt8>) -> LayerResult {
    let count = bytes.withUnsafeBufferPointer {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return .done(count) }
    refusedWrites += 1
    return .wantWrite
  }
  func sendCloseNotify() {}
}

@Suite(.timeLimit(.minutes(10))) struct TransportClosingTests {
  /// A closing connection whose peer sends but does not read costs its loop nothing: each turn for nothing would
  /// be another attempt to write.
  @Test func aClosingConnectionDoesNotSpin() async throws {
    let attempts: Int = try await onLoop { loop, report in
      let layer = Box<CountingLayer?>(nil)
      guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
        let listener = try? Listener(loop: loop, address: address)
      else { return report(-1) }
      let server = Peer()
      try? listener.start { socket, peer in
        let transport = SocketTransport(
          loop: loop, accepted: socket, from: peer,
          makeLayer: { descriptor in
            let counting = CountingLayer(descriptor)
            layer.value = counting
            return .success(counting)
          })
        server.transport = transport
        transport.delegate = server
        transport.start(handshakeTimeout: .seconds(5))
      }
      let client = Peer()
      client.transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5))
      client.transport?.delegate = client
      client.onConnect = {
        client.transport?.pauseReading()
        client.transport?.write([1])
      }
      // The client's byte is there; what follows it stays unread.
      server.onRead = {
        server.transport?.write([UInt8](repeating: 7, count: 64 << 20))
        server.transport?.close()
        client.transport?.write([2])
        loop.schedule(after: .milliseconds(100)) {
          report(layer.value?.refusedWrites ?? -1)
          server.transport?.abort()
          server.transport = nil
          client.transport?.abort()
          client.transport = nil
          listener.close()
        }
      }
    }
    #expect((1...20).contains(attempts), "\(attempts)")
  }

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
