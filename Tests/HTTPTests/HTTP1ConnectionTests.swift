import Bytes
import EventLoop
import HTTP
import TestSupport
import Testing

@Suite(.ownThread, .timeLimit(.minutes(10))) struct HTTP1ConnectionTests {
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
