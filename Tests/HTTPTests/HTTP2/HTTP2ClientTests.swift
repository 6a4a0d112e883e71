import EventLoop
import HTTP
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct HTTP2ClientTests: HTTP2ClientSuite {
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
      var requests = 0
      let server = try ScriptedServer(loop) { _, _, event in
        if case .request = event { requests += 1 }
      }
      var client: HTTP2Client? = plainClient(loop, port: { server.port })
      client?.send(post("/"), deadline: soon(loop)) { failure = error($0) }
      when(loop, { requests == 1 }) {
        client = nil
        when(loop, { server.peers.map(\.isClosed) == [true] }) { loop.stop() }
      }
    }
    #expect(failure == .cancelled)
  }
}

/// What tests of `HTTP2Client` look at its answers with.
protocol HTTP2ClientSuite {}

extension HTTP2ClientSuite {
  func soon(_ loop: EventLoop, _ seconds: Int = 10) -> MonotonicTime { .now() + .seconds(seconds) }

  func status(_ result: Result<HTTPResponse, HTTP2ClientError>) -> Int? {
    if case .success(let response) = result { response.status } else { nil }
  }

  func error(_ result: Result<HTTPResponse, HTTP2ClientError>) -> HTTP2ClientError? {
    if case .failure(let error) = result { error } else { nil }
  }
}
