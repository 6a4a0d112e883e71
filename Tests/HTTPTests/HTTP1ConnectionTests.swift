import Bytes
import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

/// Answers with method, target and body.
private func echo(_ request: HTTPRequest) -> HTTPResponse {
  .text(200, "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
}

private func get(_ path: String, _ fields: String = "") -> String {
  "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

@Suite(.ownThread, .timeLimit(.minutes(1))) struct HTTP1ConnectionTests {
  @Test func aConnectionServesOneRequestAfterAnother() async throws {
    let server = try await TestServer(answering: echo)
    let client = RawClient(port: server.port)
    for index in 0..<3 {
      client.send("POST /\(index) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
      let response = client.response()
      #expect(response?.status == 200)
      #expect(response?.text == "POST /\(index) hi")
      #expect(response?.closes == false)
      #expect(response?.head.contains("\r\ndate: ") == true)
    }
    server.end()
  }

  @Test func theHandlerKnowsThePeer() async throws {
    let server = try await TestServer { request in .text(200, request.remoteAddress?.ipText ?? "-") }
    let client = RawClient(port: server.port)
    client.send(get("/"))
    #expect(client.response()?.text == "127.0.0.1")
    server.end()
  }

  @Test func pipelinedRequestsAreAnsweredInOrderOneAtATime() async throws {
    let server = try await TestServer { loop in
      var inService = 0
      return ClosureHandler { request, responder in
        inService += 1
        let answer = HTTPResponse.text(200, "\(request.path) \(inService)")
        loop.schedule(after: .milliseconds(1)) {
          inService -= 1
          responder.respond(answer)
        }
      }
    }
    let client = RawClient(port: server.port)
    client.send((0..<20).map { get("/\($0)") }.joined())
    for index in 0..<20 {
      #expect(client.response()?.text == "/\(index) 1")
    }
    server.end()
  }

  /// More than the server takes in at once, behind an answer that takes a while.
  @Test func tenThousandPipelinedRequests() async throws {
    let server = try await TestServer { loop in
      ClosureHandler { request, responder in
        guard request.path == "/0" else { return responder.respond(echo(request)) }
        loop.schedule(after: .milliseconds(20)) { responder.respond(echo(request)) }
      }
    }
    let client = RawClient(port: server.port)
    let requests = (0..<10_000).map { Array(get("/\($0)").utf8) }
    for batch in stride(from: 0, to: 10_000, by: 5000) {
      client.send(Array(requests[batch..<(batch + 5000)].joined()))
      for index in batch..<(batch + 5000) {
        let response = client.response()
        guard response?.text == "GET /\(index) " else {
          Issue.record("wrong answer to request \(index)")
          break
        }
      }
    }
    let counters = await server.counters()
    #expect(counters.requests == 10_000)
    #expect(counters.connectionsAccepted == 1)
    server.end()
  }

  @Test func answersGivenAtOnceDoNotNest() async throws {
    let server = try await TestServer { _ in
      var depth = 0
      return ClosureHandler { _, responder in
        depth += 1
        responder.respond(.text(200, "\(depth)"))
        depth -= 1
      }
    }
    let client = RawClient(port: server.port)
    client.send(get("/") + get("/") + get("/"))
    for _ in 0..<3 {
      #expect(client.response()?.text == "1")
    }
    server.end()
  }

  /// While a request is in service, a peer can not fill the memory with more of them.
  @Test func readingPausesBehindAFullBacklog() async throws {
    let server = try await TestServer { _ in
      var kept: [HTTPResponder] = []
      return ClosureHandler { _, responder in kept.append(responder) }
    }
    let client = RawClient(port: server.port)
    let limit = 64 * 1_048_576
    let sent = client.flood(Array(String(repeating: get("/"), count: 5000).utf8), limit: limit)
    // What the kernel holds on both sides is a few megabytes.
    #expect(sent < limit)
    #expect(await server.counters().requests == 1)
    server.end()
  }

  @Test func headIsAnsweredWithoutABody() async throws {
    let server = try await TestServer(answering: echo)
    let client = RawClient(port: server.port)
    client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + get("/y"))
    let head = client.response(toHead: true)
    #expect(head?.head.contains("content-length: 8\r\n") == true)
    #expect(client.response()?.text == "GET /y ")
    server.end()
  }

  @Test func expectContinueIsAnsweredBeforeTheBody() async throws {
    let server = try await TestServer(answering: echo)
    let client = RawClient(port: server.port)
    client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(client.response()?.head == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("ok")
    #expect(client.response()?.text == "PUT / ok")
    server.end()
  }

  @Test func tooLargeABodyIsRefusedBeforeItIsSent() async throws {
    var options = HTTPServerOptions()
    options.limits.body = 10
    let server = try await TestServer(options, answering: echo)
    let client = RawClient(port: server.port)
    client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
    #expect(client.response()?.status == 413)
    #expect(client.readToEnd() == "")
    server.end()
  }

  @Test func closeIsHonoured() async throws {
    let server = try await TestServer(answering: echo)
    for request in [get("/", "Connection: close\r\n"), "GET / HTTP/1.0\r\n\r\n"] {
      let client = RawClient(port: server.port)
      client.send(request + get("/never"))
      #expect(client.response()?.closes == true)
      #expect(client.readToEnd() == "")
    }
    let client = RawClient(port: server.port)
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(client.response()?.head.contains("connection: keep-alive\r\n") == true)
    client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(client.response()?.closes == true)
    server.end()
  }

  @Test func aHalfClosedPeerGetsAllItsAnswers() async throws {
    let server = try await TestServer { loop in
      ClosureHandler { request, responder in
        loop.schedule(after: .milliseconds(5)) { responder.respond(echo(request)) }
      }
    }
    let client = RawClient(port: server.port)
    client.send(get("/1") + get("/2") + "GET /half HTT")
    client.endInput()
    #expect(client.response()?.text == "GET /1 ")
    #expect(client.response()?.text == "GET /2 ")
    #expect(client.readToEnd() == "")
    server.end()
  }

  @Test func whatIsNoRequestIsAnsweredThroughErrorResponseAndClosed() async throws {
    var options = HTTPServerOptions()
    options.errorResponse = { status, reason in .json(status, Array("{\"reason\":\"\(reason)\"}".utf8)) }
    let server = try await TestServer(options, answering: echo)
    let client = RawClient(port: server.port)
    client.send(get("/ok") + "GET / HTTP/1.1\nHost: a\n\n")
    #expect(client.response()?.status == 200)
    let refusal = client.response()
    #expect(refusal?.status == 400)
    #expect(refusal?.closes == true)
    #expect(refusal?.head.contains("content-type: application/json") == true)
    #expect(refusal?.text == "{\"reason\":\"a line ended with LF instead of CR LF\"}")
    #expect(client.readToEnd() == "")
    #expect(await server.counters().requestsRefused == 1)
    server.end()
  }

  @Test func aForgottenRequestIsAnswered500() async throws {
    let server = try await TestServer { loop in
      ClosureHandler { request, responder in
        guard request.path == "/later" else { return }
        loop.schedule(after: .milliseconds(1)) { _ = responder.isCancelled }
      }
    }
    let client = RawClient(port: server.port)
    client.send(get("/now") + get("/later") + get("/now"))
    for _ in 0..<3 {
      #expect(client.response()?.status == 500)
    }
    server.end()
  }

  @Test func aPeerThatGoesAwayCancels() async throws {
    let (cancelled, continuation) = AsyncStream<Bool>.makeStream()
    let (reached, reachedContinuation) = AsyncStream<Void>.makeStream()
    let server = try await TestServer { _ in
      var kept: HTTPResponder?
      return ClosureHandler { _, responder in
        kept = responder
        responder.onCancel = {
          continuation.yield(kept?.isCancelled ?? false)
          kept?.respond(.empty(200))
          kept = nil
        }
        reachedContinuation.yield()
      }
    }
    var client: RawClient? = RawClient(port: server.port)
    client?.send(get("/"))
    for await _ in reached { break }
    client?.resetOnClose()
    client = nil
    for await isCancelled in cancelled {
      #expect(isCancelled)
      break
    }
    await server.stop()
    server.end()
  }

  @Test func afterTheRequestLimitTheConnectionCloses() async throws {
    var options = HTTPServerOptions()
    options.maximumRequestsPerConnection = 2
    let server = try await TestServer(options, answering: echo)
    let client = RawClient(port: server.port)
    client.send(get("/1") + get("/2") + get("/3"))
    #expect(client.response()?.closes == false)
    #expect(client.response()?.closes == true)
    #expect(client.readToEnd() == "")
    server.end()
  }
}

@Suite(.ownThread, .timeLimit(.minutes(1))) struct HTTP1TimeoutTests {
  private static func options(_ change: (inout HTTPServerOptions) -> Void) -> HTTPServerOptions {
    var options = HTTPServerOptions()
    change(&options)
    return options
  }

  @Test(arguments: ["G", "GET / HTTP/1.1\r\nHost", "\(get("/"))GET /2 HTTP/1.1\r\n"])
  func aHeadThatStopsHalfwayIsAnswered408(_ start: String) async throws {
    let server = try await TestServer(Self.options { $0.headTimeout = .milliseconds(40) }, answering: echo)
    let client = RawClient(port: server.port)
    client.send(start)
    if start.hasPrefix(get("/")) {
      #expect(client.response()?.status == 200)
    }
    let response = client.response()
    #expect(response?.status == 408)
    #expect(response?.closes == true)
    #expect(client.readToEnd() == "")
    #expect(await server.counters().timeouts == 1)
    server.end()
  }

  @Test func singleBytesGainNoTime() async throws {
    let server = try await TestServer(Self.options { $0.headTimeout = .milliseconds(60) }, answering: echo)
    let client = RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nX: ")
    var sent = 0
    while !client.wait(POLLIN, milliseconds: 5), sent < 2000 {
      client.send("x")
      sent += 1
    }
    #expect(sent < 2000)
    #expect(client.response()?.status == 408)
    server.end()
  }

  @Test func aBodyThatStopsHalfwayIsAnswered408() async throws {
    let server = try await TestServer(Self.options { $0.bodyTimeout = .milliseconds(40) }, answering: echo)
    let client = RawClient(port: server.port)
    client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    #expect(client.response()?.status == 408)
    server.end()
  }

  @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
    let server = try await TestServer(
      Self.options {
        $0.idleTimeout = .milliseconds(40)
        $0.headTimeout = .milliseconds(40)
      }, answering: echo)
    let silent = RawClient(port: server.port)
    #expect(silent.readToEnd() == "")
    var client = RawClient(port: server.port)
    client.send(get("/"))
    var response = client.response()
    // On a busy machine the request may come too late, again and again.
    for _ in 0..<100 where response == nil {
      client = RawClient(port: server.port)
      client.send(get("/"))
      response = client.response()
    }
    #expect(response?.status == 200)
    #expect(client.readToEnd() == "")
    #expect(await server.counters().timeouts == 0)
    server.end()
  }

  @Test func theHandlerMayTakeLongerThanAnyTimeout() async throws {
    let options = Self.options {
      $0.idleTimeout = .milliseconds(10)
      $0.bodyTimeout = .milliseconds(10)
      $0.writeTimeout = .milliseconds(10)
    }
    let server = try await TestServer(options) { loop in
      ClosureHandler { request, responder in
        loop.schedule(after: .milliseconds(60)) { responder.respond(echo(request)) }
      }
    }
    let client = RawClient(port: server.port)
    client.send(get("/slow"))
    #expect(client.response()?.text == "GET /slow ")
    server.end()
  }

  /// A peer that asks and never reads: requests are left alone once enough is unsent, and the
  /// connection ends.
  @Test func aPeerThatDoesNotReadIsCutOff() async throws {
    let body = [UInt8](repeating: 0x61, count: 131_072)
    let server = try await TestServer(Self.options { $0.writeTimeout = .milliseconds(50) }) { _ in
      HTTPResponse(status: 200, body: body)
    }
    let client = RawClient(port: server.port)
    client.send(String(repeating: get("/"), count: 1000))
    // Only an error or a hang-up ends this wait.
    #expect(client.wait(0, milliseconds: 20_000))
    let counters = await server.counters()
    #expect(counters.timeouts == 1)
    #expect(counters.requests < 1000)
    server.end()
  }

  @Test func aPeerThatReadsLateGetsEverything() async throws {
    let body = [UInt8](repeating: 0x61, count: 131_072)
    let server = try await TestServer { _ in HTTPResponse(status: 200, body: body) }
    let client = RawClient(port: server.port)
    client.send(String(repeating: get("/"), count: 200))
    for _ in 0..<200 {
      guard client.response()?.body.count == body.count else {
        Issue.record("an answer is missing")
        break
      }
    }
    server.end()
  }
}
