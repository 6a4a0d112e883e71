import Crypto
import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

/// Sends one request once connected and reports all that came back until the end.
private final class OneRequest: TransportDelegate {
  private var received: [UInt8] = []
  private let report: (String, String?) -> Void
  private var negotiated: String?
  /// A transport holds its delegate weakly, so this holds itself until the connection ends.
  private var own: OneRequest?

  init(_ report: @escaping (_ received: String, _ negotiated: String?) -> Void) {
    self.report = report
    own = self
  }

  func transportDidConnect(_ transport: any Transport) {
    negotiated = transport.negotiatedProtocol
    transport.write(Array("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
  }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    for index in bytes.indices { received.append(bytes[index]) }
  }
  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    report(error.map(\.description) ?? String(decoding: received, as: UTF8.self), negotiated)
    own = nil
  }
}

@Suite(.ownThread, .timeLimit(.minutes(10))) struct HTTPServerTLSTests {
  private let authority: LoopbackCertificateAuthority
  private let serverContext: TLSContext

  init() throws {
    let now = Int(WallClock.seconds())
    let validity = (now - 60)..<(now + 3600)
    authority = try LoopbackCertificateAuthority(validity: validity)
    let leaf = try authority.issue(names: ["127.0.0.1"], validity: validity)
    serverContext = try TLSContext.server(
      certificateChain: leaf.certificatePEM, privateKey: leaf.privateKeyPEM, protocols: ["h2", "http/1.1"])
  }

  private func start(_ options: HTTPServerOptions = HTTPServerOptions()) async throws -> TestServer {
    let context = serverContext
    return try await TestServer(options, makeLayer: { context.makeLayer(fd: $0) }) { _ in
      ClosureHandler { request, responder in responder.respond(.text(200, request.scheme)) }
    }
  }

  /// What one request gets, and the protocol that ALPN chose.
  private func ask(_ server: TestServer, protocols: [String]) async throws -> (String, String?) {
    let client = try TLSContext.client(trust: .pem(authority.certificatePEM), protocols: protocols)
    let port = server.port
    return await withCheckedContinuation { continuation in
      server.server.run { [loop = server.thread.loop] _ in
        let request = OneRequest { continuation.resume(returning: ($0, $1)) }
        let transport = SocketTransport.connect(
          loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(10),
          makeLayer: { client.makeLayer(fd: $0, serverName: "127.0.0.1") })
        transport.delegate = request
      }
    }
  }

  @Test(arguments: [["http/1.1"], []])
  func aClientThatWantsHTTP1GetsIt(_ protocols: [String]) async throws {
    let server = try await start()
    let (answer, negotiated) = try await ask(server, protocols: protocols)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nhttps"))
    #expect(negotiated == protocols.first)
    await server.stop()
    #expect(await server.counters().connectionsOpen == 0)
    server.end()
  }

  /// What it asks is no HTTP/2, yet the server speaks first, with SETTINGS (RFC 9113, section 3.4).
  @Test func aClientThatWantsHTTP2GetsIt() async throws {
    let server = try await start()
    let (answer, negotiated) = try await ask(server, protocols: ["h2", "http/1.1"])
    #expect(negotiated == "h2")
    #expect(Array(answer.utf8.prefix(4)).last == 4)
    await server.stop()
    server.end()
  }

  @Test func plainHTTPOnATLSPortIsClosed() async throws {
    let server = try await start()
    let client = RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(!client.readToEnd().hasPrefix("HTTP"))
    await server.stop()
    server.end()
  }

  @Test func aHandshakeThatNeverComesIsCutOff() async throws {
    var options = HTTPServerOptions()
    options.handshakeTimeout = .milliseconds(30)
    let server = try await start(options)
    let client = RawClient(port: server.port)
    #expect(client.readToEnd() == "")
    #expect(await server.counters().connectionsOpen == 0)
    server.end()
  }

  @Test func stopDoesNotWaitForAHandshake() async throws {
    let server = try await start()
    let client = RawClient(port: server.port)
    // Connected, so that the loop has seen it before it is told to stop.
    while await server.counters().connectionsOpen == 0 {}
    await server.stop()
    #expect(client.readToEnd() == "")
    server.end()
  }
}
