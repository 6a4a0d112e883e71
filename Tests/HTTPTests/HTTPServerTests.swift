import EventLoop
import HTTP
import TestSupport
import Testing

private let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

@Suite(.ownThread, .timeLimit(.minutes(10))) struct HTTPServerTests {
  @Test func stopFinishesWhatWasBegun() async throws {
    let (reached, reachedContinuation) = AsyncStream<LoopBound<HTTPResponder>>.makeStream()
    let server = try await TestServer { loop in
      ClosureHandler { request, responder in
        guard request.path == "/wait" else { return responder.respond(.empty(204)) }
        reachedContinuation.yield(LoopBound(responder, loop: loop))
      }
    }
    let idle = RawClient(port: server.port)
    idle.send(request)
    #expect(idle.response()?.status == 204)
    let silent = RawClient(port: server.port)
    let busy = RawClient(port: server.port)
    busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n" + request)
    var waiting: LoopBound<HTTPResponder>?
    for await responder in reached {
      waiting = responder
      break
    }
    let stopped = server.beginStop()
    // Both end, while the busy one goes on.
    #expect(idle.readToEnd() == "")
    #expect(silent.readToEnd() == "")
    // Refused, unless a test beside this one got the port meanwhile; never taken by this server.
    _ = RawClient(port: server.port)
    #expect(await server.counters().connectionsAccepted == 3)
    waiting?.run { $0.respond(.text(200, "done")) }
    waiting = nil
    let response = busy.response()
    #expect(response?.text == "done")
    #expect(response?.closes == true)
    #expect(busy.readToEnd() == "")
    for await _ in stopped {}
    #expect(await server.counters().connectionsOpen == 0)
    server.end()
  }

  @Test func stopAbortsWhatOutlivesTheGrace() async throws {
    let (reached, reachedContinuation) = AsyncStream<Void>.makeStream()
    let server = try await TestServer { _ in
      var kept: [HTTPResponder] = []
      return ClosureHandler { _, responder in
        kept.append(responder)
        reachedContinuation.yield()
      }
    }
    let client = RawClient(port: server.port)
    client.send(request)
    for await _ in reached { break }
    await server.stop(grace: .milliseconds(20))
    #expect(client.readToEnd() == "")
    server.end()
  }

  @Test func stopWithoutConnectionsCompletesAtOnce() async throws {
    let server = try await TestServer { _ in .empty(204) }
    await server.stop()
    server.end()
  }

  @Test func aRequestHalfwayInIsStillServedAtStop() async throws {
    let server = try await TestServer { _ in .empty(204) }
    let client = RawClient(port: server.port)
    client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(client.response()?.status == 100)
    let stopped = server.beginStop()
    while RawClient(port: server.port).isConnected {}
    client.send("x")
    let response = client.response()
    #expect(response?.status == 204)
    #expect(response?.closes == true)
    for await _ in stopped {}
    server.end()
  }

  @Test func connectionsBeyondTheLimitAreClosed() async throws {
    var options = HTTPServerOptions()
    options.maximumConnections = 1
    let server = try await TestServer(options) { _ in .empty(204) }
    let first = RawClient(port: server.port)
    first.send(request)
    #expect(first.response()?.status == 204)
    #expect(RawClient(port: server.port).readToEnd() == "")
    first.send(request)
    #expect(first.response()?.status == 204)
    let counters = await server.counters()
    #expect(counters.connectionsRefused == 1)
    #expect(counters.connectionsAccepted == 1)
    #expect(counters.connectionsOpen == 1)
    first.endInput()
    #expect(first.readToEnd() == "")
    let next = RawClient(port: server.port)
    next.send(request)
    #expect(next.response()?.status == 204)
    server.end()
  }
}
