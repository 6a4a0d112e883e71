import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

/// Slow and silent peers of HTTP/1.1.
@Suite(.ownThread, .timeLimit(.minutes(10))) struct HTTP1TimeoutTests {
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
