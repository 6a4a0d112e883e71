import Bytes
import EventLoop
import TestSupport

/// An HTTP proxy on the loopback interface that lets CONNECT through for one user.
final class ConnectProxy: Sendable {
  let port: UInt16
  private let thread: LoopThread
  private let seen: Locked<[String]>

  /// - Parameter credentials: `user:password` that must come with each request.
  init(credentials: String) throws {
    let thread = try LoopThread(name: "proxy")
    let seen = Locked<[String]>([])
    let loop = thread.loop
    let expected = "Basic " + Base64.encode(Array(credentials.utf8))
    let port = loop.runAndWait { () -> UInt16? in
      guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
        let listener = try? Listener(loop: loop, address: address)
      else { return nil }
      try? listener.start { socket, peer in
        let client = SocketTransport(loop: loop, accepted: socket, from: peer)
        let tunnel = Tunnel(loop: loop, client: client, expected: expected) { line in
          seen.withLock { $0.append(line) }
        }
        tunnel.begin()
      }
      // The loop keeps the listener; the port is all that is needed of it.
      loop.schedule(after: .seconds(3600)) { _ = listener }
      return listener.localAddress.port
    }
    guard let port else { throw TestSupportError("the proxy cannot listen") }
    self.port = port
    self.thread = thread
    self.seen = seen
  }

  deinit { thread.stopAndJoin() }

  /// The request lines that came.
  var requests: [String] { seen.withLock { $0 } }
}

/// A client's connection and the one to its target. Keeps itself until both have ended.
private final class Tunnel {
  private let loop: EventLoop
  private let client: SocketTransport
  private let expected: String
  private let note: (String) -> Void
  private var target: SocketTransport?
  private var head: [UInt8] = []
  private var isOpen = false
  private var keep: Tunnel?

  init(loop: EventLoop, client: SocketTransport, expected: String, note: @escaping (String) -> Void) {
    self.loop = loop
    self.client = client
    self.expected = expected
    self.note = note
  }

  func begin() {
    keep = self
    client.delegate = self
    client.start(handshakeTimeout: .seconds(5))
  }

  private func receiveHead(_ bytes: [UInt8]) {
    head += bytes
    guard head.suffix(4) == [13, 10, 13, 10] else { return }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    note(lines.first.map(String.init) ?? "")
    guard lines.contains("Proxy-Authorization: \(expected)") else {
      client.write(Array("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n".utf8))
      return client.close()
    }
    let authority = lines.first?.split(separator: " ").dropFirst().first ?? ""
    let parts = authority.split(separator: ":")
    target = SocketTransport.connect(
      loop: loop, host: String(parts.first ?? ""), port: parts.last.flatMap { UInt16($0) } ?? 0,
      timeout: .seconds(5))
    target?.delegate = self
  }
}

extension Tunnel: TransportDelegate {
  func transportDidConnect(_ transport: any Transport) {
    guard transport === target else { return }
    isOpen = true
    client.write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    let copy = bytes.withUnsafeBufferPointer { Array($0) }
    if transport === target {
      client.write(copy)
    } else if isOpen {
      target?.write(copy)
    } else {
      receiveHead(copy)
    }
  }

  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    client.abort()
    target?.abort()
    keep = nil
  }
}
