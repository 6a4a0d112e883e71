import EventLoop
import HTTP
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct HTTP2ClientTests {
  private func soon(_ loop: EventLoop, _ seconds: Int = 10) -> MonotonicTime { .now() + .seconds(seconds) }

  private func status(_ result: Result<HTTPResponse, HTTP2ClientError>) -> Int? {
    if case .success(let response) = result { response.status } else { nil }
  }

  private func error(_ result: Result<HTTPResponse, HTTP2ClientError>) -> HTTP2ClientError? {
    if case .failure(let error) = result { error } else { nil }
  }

  @Test func thousandsOfRequestsOverFewConnections() async throws {
    var configuration = HTTP2ServerSession.Configuration()
    configuration.maxConcurrentStreams = 20
    var answered = 0
    var mismatches = 0
    // Under a sanitizer on a loaded machine this takes its time.
    try await withLoop(.seconds(50)) { loop in
      let server = try ScriptedServer(loop, configuration) { _, peer, event in
        if case .request(let stream, let request) = event {
          peer.session.respond(stream, .text(200, request.path))
        }
      }
      let client = plainClient(loop, port: { server.port }) { $0.maxConnections = 3 }
      for index in 0..<3000 {
        client.send(post("/\(index)"), deadline: soon(loop, 50)) { result in
          answered += 1
          if case .success(let response) = result, response.body == Array("/\(index)".utf8) {
          } else {
            mismatches += 1
          }
          guard answered == 3000 else { return }
          #expect(client.counters.queuedRequests == 0)
          #expect(server.peers.count <= 3)
          client.shutdown {
            #expect(client.counters.openConnections == 0)
            #expect(client.counters.activeStreams == 0)
            #expect(client.counters.requestsSent == 3000)
            loop.stop()
          }
        }
      }
    }
    #expect(answered == 3000)
    #expect(mismatches == 0)
  }

  @Test func requestsRefusedByGoAwayGoToAnotherConnection() async throws {
    var results: [HTTP2ClientError?] = []
    var notices: [HTTP2ErrorCode] = []
    try await withLoop { loop in
      var seen: [Int32] = []
      let server = try ScriptedServer(loop) { number, peer, event in
        guard case .request(let stream, _) = event else { return }
        guard number == 0 else { return peer.session.respond(stream, .empty(200)) }
        seen.append(stream)
        // Serves the first of four, and refuses the others.
        guard seen.count == 4, let first = seen.first else { return }
        try? peer.session.goAway(lastStream: first, .noError, debugData: Array("{}".utf8))
        peer.session.respond(first, .empty(200))
      }
      let client = plainClient(loop, port: { server.port })
      client.onNotice = { if case .goAway(let code, _) = $0 { notices.append(code) } }
      for _ in 0..<4 {
        client.send(post("/"), deadline: soon(loop)) { result in
          results.append(error(result))
          if results.count == 4 { client.shutdown { loop.stop() } }
        }
      }
    }
    #expect(results == [nil, nil, nil, nil])
    #expect(notices == [.noError])
  }

  @Test func aRefusedStreamIsTriedAgainABoundedNumberOfTimes() async throws {
    var result: HTTP2ClientError?
    var tries = 0
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        guard case .request(let stream, _) = event else { return }
        tries += 1
        peer.session.reset(stream, .refusedStream)
      }
      let client = plainClient(loop, port: { server.port }) { $0.maxRefusals = 2 }
      client.send(post("/"), deadline: soon(loop)) {
        result = error($0)
        client.shutdown { loop.stop() }
      }
    }
    #expect(result == .refused)
    #expect(tries == 3)
  }

  @Test func aDeadlineResetsTheStreamAndKeepsTheConnection() async throws {
    var results: [String] = []
    var resets: [HTTP2ErrorCode] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        switch event {
        case .request(let stream, let request):
          if request.path != "/silent" { peer.session.respond(stream, .empty(204)) }
        case .streamClosed(_, let code) where code != .noError: resets.append(code)
        default: break
        }
      }
      let client = plainClient(loop, port: { server.port })
      client.send(post("/silent"), deadline: .now() + .milliseconds(100)) { result in
        results.append(error(result).map { "\($0)" } ?? "answered")
        let handle = client.send(post("/silent"), deadline: soon(loop)) { result in
          #expect(error(result) == .cancelled)
          client.send(post("/loud"), deadline: soon(loop)) { result in
            results.append(status(result).map(String.init) ?? "failed")
            #expect(client.counters.connectionsOpened == 1)
            #expect(server.peers.count == 1)
            client.shutdown { loop.stop() }
          }
        }
        loop.schedule(after: .milliseconds(20)) { handle.cancel() }
      }
    }
    #expect(results == ["no response within the time allowed", "204"])
    #expect(resets == [.cancel, .cancel])
  }

  /// The peer takes its room back before the request is on its way, and gives none again.
  @Test func aRequestStuckForWantOfRoomDoesNotBlockThePool() async throws {
    var results: [String] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { number, peer, event in
        guard case .request(let stream, _) = event else { return }
        peer.session.respond(stream, .empty(200 + number))
        if number == 0 { try? peer.session.setMaxConcurrentStreams(0) }
      }
      let client = plainClient(loop, port: { server.port })
      client.send(post("/"), deadline: soon(loop)) { results.append("\(status($0) ?? 0)") }
      client.send(post("/"), deadline: soon(loop)) { result in
        results.append("\(status(result) ?? 0)")
        // Within the turn that brought the answer the new limit may or may not be known.
        client.send(post("/"), deadline: .now() + .milliseconds(100)) { result in
          results.append("\(status(result) ?? 0)")
          client.send(post("/"), deadline: soon(loop)) { result in
            results.append("\(status(result) ?? 0)")
            client.shutdown { loop.stop() }
          }
        }
      }
    }
    #expect(results.prefix(2) == ["200", "200"])
    #expect(results.last == "201")
  }

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

  @Test func connectionsThatCannotComeAboutFailTheWaitingSoon() async throws {
    var failures: [HTTP2ClientError?] = []
    var opened = -1
    try await withLoop { loop in
      // A port that nobody listens on.
      let listener = try listen(loop) { _ in }
      let port = listener.localAddress.port
      listener.close()
      let client = plainClient(loop, port: { port }) { $0.connectFailureLimit = 2 }
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
    try await withLoop { loop in
      let placeholder = try listen(loop) { _ in }
      let dead = placeholder.localAddress.port
      placeholder.close()
      let client = plainClient(loop, port: { dead }) { $0.connectFailureLimit = 1000 }
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
    try await withLoop { loop in
      let placeholder = try listen(loop) { _ in }
      let dead = placeholder.localAddress.port
      placeholder.close()
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      var attempts = 0
      let client = plainClient(
        loop,
        port: {
          attempts += 1
          return attempts < 3 ? dead : server.port
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

  @Test func aConnectionIsRetiredFromWithinACompletionAndNotTooOften() async throws {
    var retired: [Bool] = []
    var paths: [[String]] = [[], [], []]
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { number, peer, event in
        guard case .request(let stream, let request) = event else { return }
        paths[number].append(request.path)
        peer.session.respond(stream, .empty(500))
      }
      let client = plainClient(loop, port: { server.port })
      #expect(!client.retireConnection())
      client.send(post("/1"), deadline: soon(loop)) { _ in
        retired.append(client.retireConnection())
        retired.append(client.retireConnection())
        client.send(post("/2"), deadline: soon(loop)) { _ in
          retired.append(client.retireConnection())
          client.send(post("/3"), deadline: soon(loop)) { _ in
            #expect(client.counters.openConnections == 1)
            client.shutdown { loop.stop() }
          }
        }
      }
    }
    #expect(retired == [true, true, false])
    #expect(paths == [["/1"], ["/2", "/3"], []])
  }

  @Test func aFullQueueAndAShutDownClientRefuse() async throws {
    var failures: [HTTP2ClientError?] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port }) { $0.queueLimit = 1 }
      var isWithinSend = true
      client.send(post("/"), deadline: soon(loop)) { failures.append(error($0)) }
      client.send(post("/"), deadline: soon(loop)) {
        #expect(!isWithinSend)
        failures.append(error($0))
        client.shutdown { loop.stop() }
        client.send(post("/"), deadline: soon(loop)) { failures.append(error($0)) }
      }
      isWithinSend = false
    }
    #expect(failures == [.queueFull, .cancelled, nil])
  }

  @Test func aRequestThatCannotBeSentFailsAlone() async throws {
    var failures: [HTTP2ClientError?] = []
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, peer, event in
        if case .request(let stream, _) = event { peer.session.respond(stream, .empty(200)) }
      }
      let client = plainClient(loop, port: { server.port })
      client.send(post("/a b"), deadline: soon(loop)) { failures.append(error($0)) }
      client.send(post("/"), deadline: soon(loop)) {
        failures.append(error($0))
        #expect(client.counters.activeStreams <= 1)
        client.shutdown { loop.stop() }
      }
    }
    #expect(failures.count == 2)
    #expect(failures.contains(nil))
    #expect(failures.contains(.protocolError("the field :path holds bytes that a field must not hold")))
  }

  @Test func letGoOfTheClientEndsItsRequests() async throws {
    var failure: HTTP2ClientError?
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, _, _ in }
      var client: HTTP2Client? = plainClient(loop, port: { server.port })
      client?.send(post("/"), deadline: soon(loop)) { failure = error($0) }
      loop.schedule(after: .milliseconds(30)) {
        client = nil
        loop.schedule(after: .milliseconds(30)) {
          let areClosed = server.peers.map(\.isClosed)
          #expect(areClosed == [true])
          loop.stop()
        }
      }
    }
    #expect(failure == .cancelled)
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
