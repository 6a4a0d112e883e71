import EventLoop
import HTTP
import TestSupport
import Testing

/// What becomes of requests while no connection comes about.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HTTP2ConnectingTests: HTTP2ClientSuite {
  @Test func connectionsThatCannotComeAboutFailTheWaitingSoon() async throws {
    var failures: [HTTP2ClientError?] = []
    var opened = -1
    let dead = try HeldPort()
    try await withLoop { loop in
      let client = plainClient(loop, port: { dead.port }) { $0.connectFailureLimit = 2 }
      for _ in 0..<2 {
        client.send(post("/"), deadline: soon(loop)) { result in
          failures.append(error(result))
          guard failures.count == 2 else { return }
          opened = client.counters.connectionsOpened
          client.shutdown { loop.stop() }
        }
      }
    }
    #expect(failures.count == 2)
    for failure in failures {
      guard case .connectFailed(let reason) = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
      #expect(reason.contains("127.0.0.1"))
    }
    #expect(opened == 0)
  }

  /// What an operator reads must name the cause, not that time ran out over it.
  @Test func aRequestThatRunsOutOfTimeForWantOfAConnectionNamesTheCause() async throws {
    var failure: HTTP2ClientError?
    let dead = try HeldPort()
    try await withLoop { loop in
      let client = plainClient(loop, port: { dead.port }) { $0.connectFailureLimit = 1000 }
      client.send(post("/"), deadline: .now() + .seconds(1)) {
        failure = error($0)
        client.shutdown { loop.stop() }
      }
    }
    guard case .connectFailed(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("127.0.0.1"))
  }

  @Test func aServerThatComesBackIsFoundWithoutAnError() async throws {
    var result: Int?
    let dead = try HeldPort()
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      var attempts = 0
      let client = plainClient(
        loop,
        port: {
          attempts += 1
          return attempts < 3 ? dead.port : server.port
        })
      client.send(post("/"), deadline: soon(loop)) {
        result = status($0)
        client.shutdown { loop.stop() }
      }
    }
    #expect(result == 200)
  }

  @Test func aPeerThatSpeaksNoHTTP2IsAConnectError() async throws {
    var failure: HTTP2ClientError?
    try await withLoop { loop in
      let babblers = Babblers()
      let listener = try listen(loop) { transport in babblers.adopt(transport) }
      let client = plainClient(loop, port: { listener.localAddress.port }) { $0.connectFailureLimit = 1 }
      client.send(post("/"), deadline: soon(loop)) {
        failure = error($0)
        client.shutdown {
          _ = babblers
          loop.stop()
        }
      }
    }
    guard case .protocolError = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func aPeerThatChoseNothingByALPNIsRefusedWhereALPNIsRequired() async throws {
    var failure: HTTP2ClientError?
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port }) {
        $0.requiresALPN = true
        $0.connectFailureLimit = 1
      }
      client.send(post("/"), deadline: soon(loop)) {
        failure = error($0)
        client.shutdown { loop.stop() }
      }
    }
    #expect(failure == .connectFailed("the peer does not speak HTTP/2: ALPN chose nothing"))
  }
}

/// Greets in another protocol.
private final class Babblers: TransportDelegate {
  private var transports: [any Transport] = []

  func adopt(_ transport: any Transport) {
    transport.delegate = self
    transports.append(transport)
  }

  func transportDidConnect(_ transport: any Transport) {
    transport.write(Array("220 mail.test ESMTP ready, what do you want\r\n".utf8))
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {}
  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {}
}
