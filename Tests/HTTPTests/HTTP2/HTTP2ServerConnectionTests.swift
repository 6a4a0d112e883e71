import Crypto
import EventLoop
import Glibc
import HTTP
import TLS
import Testing

/// HTTP/2 server connections on a listener; keeps them until they close.
private final class PlainServer {
  let context: HTTPServerContext
  private(set) var connections: [ObjectIdentifier: HTTP2ServerConnection] = [:]
  private var listener: Listener?
  var port: UInt16 { listener?.localAddress.port ?? 0 }

  init(
    _ loop: EventLoop, _ options: HTTPServerOptions = HTTPServerOptions(),
    _ handle: @escaping (HTTPRequest, HTTPResponder) -> Void
  ) throws {
    context = HTTPServerContext(loop: loop, options: options, handler: ClosureHandler(handle))
    listener = try listen(loop) { [weak self] transport in
      guard let self,
        let connection = try? HTTP2ServerConnection(
          transport: transport, context: self.context, scheme: "http")
      else { return }
      let key = ObjectIdentifier(connection)
      self.connections[key] = connection
      connection.onClose = { [weak self] in self?.connections[key] = nil }
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct HTTP2ServerConnectionTests {
  private var soon: MonotonicTime { .now() + .seconds(10) }

  private func response(_ result: Result<HTTPResponse, HTTP2ClientError>) -> HTTPResponse? {
    if case .success(let response) = result { response } else { nil }
  }

  @Test func requestsReachTheHandler() async throws {
    var seen: HTTPRequest?
    var answers: [String: HTTPResponse] = [:]
    try await withLoop { loop in
      var options = HTTPServerOptions()
      options.limits.body = 1000
      let server = try PlainServer(loop, options) { request, responder in
        seen = request
        switch request.path {
        case "/forgotten": return
        case "/large":
          responder.respond(HTTPResponse(status: 200, body: [UInt8](repeating: 5, count: 5_000_000)))
        default: responder.respond(.text(200, "hello"))
        }
      }
      let client = plainClient(loop, port: { server.port }) { $0.session.maxBodyBytes = 5_000_000 }
      let requests = [
        post("/plain"), post("/forgotten"), post("/large"),
        post("/heavy", [UInt8](repeating: 1, count: 1001)),
      ]
      for request in requests {
        client.send(request, deadline: soon) { result in
          answers[request.path] = response(result)
          guard answers.count == requests.count else { return }
          #expect(server.context.counters.requests == 3)
          #expect(server.context.counters.requestsRefused == 1)
          client.shutdown { loop.stop() }
        }
      }
    }
    #expect(answers["/plain"]?.status == 200)
    #expect(answers["/plain"]?.body == Array("hello".utf8))
    #expect(answers["/plain"]?.fields.first("date")?.utf8.count == 29)
    #expect(answers["/forgotten"]?.status == 500)
    #expect(answers["/large"]?.body.count == 5_000_000)
    #expect(answers["/heavy"]?.status == 413)
    #expect(seen?.remoteAddress?.ipText == "127.0.0.1")
    #expect(seen?.scheme == "http")
  }

  @Test func aStreamedBodyArrivesWhole() async throws {
    var answer: HTTPResponse?
    var mostPending = 0
    try await withLoop { loop in
      let server = try PlainServer(loop) { _, responder in
        let body = HTTPBodyStream()
        var pieces = 0
        responder.respond(
          HTTPResponse(status: 200, fields: [HTTPField("content-type", "x/y")]), streaming: body)
        body.onDrain = {
          pieces += 1
          guard pieces <= 40 else { return body.finish() }
          body.write([UInt8](repeating: 3, count: 50_000))
          mostPending = max(mostPending, body.pendingBytes)
        }
        body.write([1])
      }
      let client = plainClient(loop, port: { server.port }) { $0.session.maxBodyBytes = 5_000_000 }
      client.send(post("/stream"), deadline: soon) { result in
        answer = response(result)
        client.shutdown { loop.stop() }
      }
    }
    #expect(answer?.fields.first("content-type") == "x/y")
    #expect(answer?.body.count == 2_000_001)
    // The writer waited for the peer's window each time.
    #expect(mostPending <= 50_000)
  }

  @Test func aCancelledRequestIsToldToTheHandler() async throws {
    var cancelled = 0
    try await withLoop { loop in
      var kept: [HTTPResponder] = []
      var client: HTTP2Client?
      var handle: HTTP2RequestHandle?
      var connections: () -> Int = { 0 }
      let server = try PlainServer(loop) { request, responder in
        kept.append(responder)
        responder.onCancel = {
          cancelled += 1
          guard cancelled == 1 else { return loop.stop() }
          #expect(connections() == 1)
          // The other one goes with its connection.
          loop.schedule(after: .zero) { client = nil }
        }
        if kept.count == 2 { loop.schedule(after: .zero) { handle?.cancel() } }
      }
      connections = { server.connections.count }
      client = plainClient(loop, port: { server.port })
      handle = client?.send(post("/"), deadline: soon) { _ in }
      client?.send(post("/"), deadline: soon) { _ in }
    }
    #expect(cancelled == 2)
  }

  @Test func shutdownServesWhatWasBegun() async throws {
    var statuses: [Int] = []
    try await withLoop { loop in
      var kept: HTTPResponder?
      var begun: () -> Void = {}
      let server = try PlainServer(loop) { _, responder in
        kept = responder
        begun()
      }
      let client = plainClient(loop, port: { server.port })
      client.send(post("/"), deadline: soon) { result in
        statuses.append(response(result)?.status ?? 0)
        // Closed by the server as soon as that was answered.
        when(loop, { server.connections.isEmpty && client.counters.openConnections == 0 }) { loop.stop() }
      }
      begun = {
        for connection in server.connections.values { connection.shutdown() }
        loop.schedule(after: .milliseconds(50)) {
          #expect(server.connections.count == 1)
          kept?.respond(.empty(204))
          kept = nil
        }
      }
    }
    #expect(statuses == [204])
  }

  @Test func idleConnectionsAreClosed() async throws {
    var error: HTTP2ClientError?
    try await withLoop { loop in
      var options = HTTPServerOptions()
      options.idleTimeout = .milliseconds(60)
      let server = try PlainServer(loop, options) { _, responder in responder.respond(.empty(204)) }
      let client = plainClient(loop, port: { server.port })
      client.onNotice = {
        guard case .disconnected(let reason) = $0 else { return }
        error = reason
        loop.stop()
      }
      client.send(post("/"), deadline: soon) { result in
        #expect(response(result)?.status == 204)
        _ = server
      }
      loop.schedule(after: .seconds(15)) { _ = client }
    }
    #expect(error != nil)
  }

  @Test func overTLSTheProtocolIsChosenByALPN() async throws {
    let now = Int(time(nil))
    let authority = try LoopbackCertificateAuthority(validity: now - 3600..<now + 86_400)
    let leaf = try authority.issue(names: ["localhost"], validity: now - 3600..<now + 86_400)
    let serverTLS = try TLSContext.server(
      certificateChain: leaf.certificatePEM, privateKey: leaf.privateKeyPEM, protocols: ["h2", "http/1.1"])
    let clientTLS = try TLSContext.client(trust: .pem(authority.certificatePEM), protocols: ["h2"])
    let strangerTLS = try TLSContext.client(
      trust: .pem(try LoopbackCertificateAuthority(validity: now - 3600..<now + 86_400).certificatePEM),
      protocols: ["h2"])
    var scheme: String?
    var status: Int?
    var failure: HTTP2ClientError?
    try await withLoop { loop in
      let handler = ClosureHandler { request, responder in
        scheme = request.scheme
        responder.respond(.text(200, "hello"))
      }
      let server = HTTPServer(loop: loop, handler: handler) { serverTLS.makeLayer(fd: $0) }
      try server.start(at: try #require(SocketAddress(ip: "127.0.0.1", port: 0)))
      func client(_ context: TLSContext) -> HTTP2Client {
        var configuration = HTTP2Client.Configuration()
        configuration.connectFailureLimit = 1
        return HTTP2Client(loop: loop, configuration: configuration) { loop, delegate in
          let transport = SocketTransport.connect(
            loop: loop, host: "127.0.0.1", port: server.localAddress?.port ?? 0, timeout: .seconds(5)
          ) { context.makeLayer(fd: $0, serverName: "localhost") }
          transport.delegate = delegate
          return transport
        }
      }
      let friend = client(clientTLS)
      let stranger = client(strangerTLS)
      friend.send(post("/"), deadline: soon) { result in
        status = response(result)?.status
        stranger.send(post("/"), deadline: soon) { result in
          if case .failure(let error) = result { failure = error }
          server.stop(grace: .seconds(5)) {
            _ = (friend, stranger)
            loop.stop()
          }
        }
      }
    }
    #expect(scheme == "https")
    #expect(status == 200)
    guard case .tlsFailed = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  // MARK: Peers that are too slow

  @Test func aRequestThatNeverEndsIsAnswered408() async throws {
    var timeouts: UInt64 = 0
    try await withLoop { loop in
      var options = HTTPServerOptions()
      options.headTimeout = .milliseconds(30)
      options.bodyTimeout = .milliseconds(30)
      let server = try PlainServer(loop, options) { _, _ in Issue.record("a whole request") }
      // HPACK: POST, https, path /, authority "h", without the end of the stream.
      let bytes = clientPreface + frame(4) + frame(1, flags: 4, stream: 1, [0x83, 0x87, 0x84, 0x41, 1, 0x68])
      let peer = Sender(loop, port: server.port, bytes)
      peer.onBytes = {
        // HEADERS on stream 1 comes with the answer.
        guard peer.received.count > 9, peer.frameTypes.contains(1) else { return }
        timeouts = server.context.counters.timeouts
        loop.stop()
      }
    }
    #expect(timeouts == 1)
  }

  @Test func aPeerThatOpensNoWindowIsDropped() async throws {
    var wasDropped = false
    try await withLoop { loop in
      var options = HTTPServerOptions()
      options.writeTimeout = .milliseconds(50)
      let server = try PlainServer(loop, options) { _, responder in
        responder.respond(HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 1_000_000)))
      }
      let bytes = clientPreface + frame(4) + frame(1, flags: 5, stream: 1, [0x83, 0x87, 0x84, 0x41, 1, 0x68])
      let peer = Sender(loop, port: server.port, bytes)
      peer.onClose = {
        wasDropped = true
        #expect(server.connections.isEmpty)
        loop.stop()
      }
    }
    #expect(wasDropped)
  }
}

/// Sends given bytes and reads what comes, without a thought of its own.
private final class Sender: TransportDelegate {
  private(set) var received: [UInt8] = []
  var onBytes: (() -> Void)?
  var onClose: (() -> Void)?
  private let bytes: [UInt8]
  private var transport: SocketTransport?

  init(_ loop: EventLoop, port: UInt16, _ bytes: [UInt8]) {
    self.bytes = bytes
    let transport = SocketTransport.connect(loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(5))
    self.transport = transport
    transport.delegate = self
    loop.schedule(after: .seconds(15)) { _ = self }
  }

  var frameTypes: [UInt8] {
    var types: [UInt8] = []
    var at = 0
    while at + 9 <= received.count {
      types.append(received[at + 3])
      at += 9 + Int(received[at]) << 16 + Int(received[at + 1]) << 8 + Int(received[at + 2])
    }
    return types
  }

  func transportDidConnect(_ transport: any Transport) { transport.write(bytes) }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) }
    onBytes?()
  }
  func transportDidReadEOF(_ transport: any Transport) {}
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { onClose?() }
}
