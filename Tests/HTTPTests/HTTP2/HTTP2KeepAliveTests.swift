import EventLoop
import HTTP
import Testing

/// How a dead connection is found before a request is lost to it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HTTP2KeepAliveTests: HTTP2ClientSuite {
  @Test func aDeadConnectionIsFoundByPing() async throws {
    var results: [HTTP2ClientError?] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { number, peer, event in
        guard case .request(let stream, let request) = event else { return }
        if number == 0, request.path == "/die" {
          peer.isDead = true
        } else {
          peer.session.respond(stream, .empty(200))
        }
      }
      let client = plainClient(loop, port: { server.port }) {
        $0.pingAfterSilence = .milliseconds(50)
        $0.pingTimeout = .milliseconds(50)
      }
      client.send(post("/die"), deadline: soon(loop)) { result in
        results.append(error(result))
        client.send(post("/"), deadline: soon(loop)) { result in
          results.append(error(result))
          #expect(client.counters.connectionsOpened == 2)
          client.shutdown { loop.stop() }
        }
      }
    }
    #expect(results == [.connectionLost(afterSend: true), nil])
  }

  /// A connection that died without a word while nobody used it: the next request finds a new one.
  @Test func aConnectionThatDiesWhileIdleIsNoticedBeforeTheNextRequest() async throws {
    var result: Int?
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port }) {
        $0.pingAfterIdle = .milliseconds(50)
        $0.pingTimeout = .milliseconds(50)
      }
      client.onNotice = { notice in
        // Our own goodbye comes as `cancelled`.
        guard case .disconnected(.connectionLost) = notice else { return }
        loop.schedule(at: loop.now) {
          client.send(post("/"), deadline: soon(loop)) {
            result = status($0)
            client.shutdown { loop.stop() }
          }
        }
      }
      client.send(post("/"), deadline: soon(loop)) { _ in
        for peer in server.peers { peer.isDead = true }
      }
    }
    #expect(result == 200)
  }

  /// The same when it is noticed only by the request, which brings a PING along: it costs the PING's timeout,
  /// whatever the other times are.
  @Test func aRequestAfterARestBringsAPingAlong() async throws {
    var results: [HTTP2ClientError?] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port }) {
        $0.pingAfterIdle = .seconds(3600)
        $0.pingAfterSilence = .seconds(3600)
        $0.pingBeforeReuse = .milliseconds(30)
        $0.pingTimeout = .milliseconds(50)
      }
      client.send(post("/"), deadline: soon(loop)) { _ in
        for peer in server.peers { peer.isDead = true }
        loop.schedule(after: .milliseconds(40)) {
          client.send(post("/"), deadline: soon(loop)) { result in
            results.append(error(result))
            client.send(post("/"), deadline: soon(loop)) { result in
              results.append(error(result))
              client.shutdown { loop.stop() }
            }
          }
        }
      }
    }
    #expect(results == [.connectionLost(afterSend: true), nil])
  }

  @Test func idlePingsKeepAConnection() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port }) {
        $0.pingAfterIdle = .milliseconds(20)
        $0.pingTimeout = .seconds(2)
      }
      client.send(post("/"), deadline: soon(loop)) { _ in
        loop.schedule(after: .milliseconds(200)) {
          #expect(client.counters.openConnections == 1)
          #expect(client.counters.connectionsClosed == 0)
          client.shutdown { loop.stop() }
        }
      }
    }
  }
}
