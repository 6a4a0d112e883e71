import Bytes
import CLinux
import EventLoop
import Glibc
import HTTP
import Testing

/// Answers with method, target and body.
func echo(_ request: HTTPRequest) -> HTTPResponse {
  .text(200, "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
}

/// A request for `path`, whole.
func get(_ path: String, _ fields: String = "") -> String {
  "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

/// A handler made of a closure.
final class ClosureHandler: HTTPHandler {
  private let body: (HTTPRequest, HTTPResponder) -> Void
  init(_ body: @escaping (HTTPRequest, HTTPResponder) -> Void) { self.body = body }
  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) { body(request, responder) }
}

/// A server on a loop thread of its own, at a port that the kernel chose.
final class TestServer: Sendable {
  let thread: LoopThread
  let server: LoopBound<HTTPServer>
  let port: UInt16

  /// `makeHandler` runs on the loop.
  init(
    _ options: HTTPServerOptions = HTTPServerOptions(),
    makeLayer: (@Sendable (Int32) -> Result<any TransportLayer, TransportError>)? = nil,
    _ makeHandler: @escaping @Sendable (EventLoop) -> any HTTPHandler
  ) async throws {
    let thread = try LoopThread(name: "http-test")
    self.thread = thread
    let (server, port) = await withCheckedContinuation { continuation in
      thread.loop.execute {
        let loop = thread.loop
        let server = HTTPServer(
          loop: loop, options: options, handler: makeHandler(loop), makeLayer: makeLayer)
        if let address = SocketAddress(ip: "127.0.0.1", port: 0) {
          try? server.start(at: address)
        }
        continuation.resume(returning: (LoopBound(server, loop: loop), server.localAddress?.port ?? 0))
      }
    }
    self.server = server
    self.port = port
  }

  /// Answers each request at once.
  convenience init(
    _ options: HTTPServerOptions = HTTPServerOptions(),
    answering answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) async throws {
    try await self.init(options) { _ in
      ClosureHandler { request, responder in responder.respond(answer(request)) }
    }
  }

  func counters() async -> HTTPServerCounters {
    await withCheckedContinuation { continuation in
      server.run { continuation.resume(returning: $0.counters) }
    }
  }

  /// Begins to stop. The stream ends when all connections have ended.
  func beginStop(grace: Duration = .seconds(20)) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    server.run { $0.stop(grace: grace) { continuation.finish() } }
    return stream
  }

  /// Returns when all connections have ended.
  func stop(grace: Duration = .seconds(20)) async {
    for await _ in beginStop(grace: grace) {}
  }

  func end() {
    thread.stopAndJoin()
  }
}

struct RawResponse: Equatable {
  var status = 0
  var head = ""
  var body: [UInt8] = []
  var text: String { String(decoding: body, as: UTF8.self) }
  var closes: Bool { head.contains("\r\nconnection: close\r\n") }
}

/// A blocking client that sends what it is told, byte for byte.
final class RawClient {
  private let fd: Int32
  private var buffer: [UInt8] = []

  init(port: UInt16) {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.fd = fd
    // So that a failing test ends instead of hanging.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  let isConnected: Bool

  deinit { close(fd) }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Sends `bytes` over and over until the peer takes no more for a while, or `limit` is reached;
  /// returns how many bytes it took.
  func flood(_ bytes: [UInt8], limit: Int) -> Int {
    var sent = 0
    while sent < limit, wait(POLLOUT, milliseconds: 100) {
      let count = bytes.withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  func endInput() { shutdown(fd, Int32(SHUT_WR)) }

  /// Makes the close at the end send a reset.
  func resetOnClose() {
    var option = CLinux.linger(l_onoff: 1, l_linger: 0)
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<CLinux.linger>.size))
  }

  /// Whether one of `events` (or an error) comes within `milliseconds`.
  func wait(_ events: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: fd, events: Int16(events), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(fd, &chunk, chunk.count, 0)
    // Who waits for an end must not take silence for one.
    if count < 0, errno == EAGAIN { Issue.record("neither bytes nor the connection's end came within 20 s") }
    guard count > 0 else { return false }
    buffer.append(contentsOf: chunk[..<count])
    return true
  }

  /// Everything until the peer ends its side.
  func readToEnd() -> String {
    while fill() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// The next response; nil when the connection ends before it is whole.
  func response(toHead: Bool = false) -> RawResponse? {
    var searched = 0
    var headEnd: Int?
    while headEnd == nil {
      while searched + 4 <= buffer.count {
        if buffer[searched] == 13, Array(buffer[searched..<(searched + 4)]) == [13, 10, 13, 10] {
          headEnd = searched + 4
          break
        }
        searched += 1
      }
      if headEnd == nil, !fill() { return nil }
    }
    guard let headEnd else { return nil }
    var response = RawResponse()
    response.head = String(decoding: buffer[..<headEnd], as: UTF8.self)
    response.status = Int(response.head.dropFirst(9).prefix(3)) ?? 0
    var length = 0
    for line in response.head.split(separator: "\r\n") where line.hasPrefix("content-length: ") {
      length = toHead ? 0 : Int(line.dropFirst(16)) ?? 0
    }
    while buffer.count < headEnd + length {
      guard fill() else { return nil }
    }
    response.body = Array(buffer[headEnd..<(headEnd + length)])
    buffer.removeSubrange(..<(headEnd + length))
    return response
  }
}
