import EventLoop
import HTTP
import TestSupport
import Testing

@testable import HTTP

@Suite(.ownThread, .timeLimit(.minutes(10))) struct HTTPBodyStreamTests {
  /// A server that streams what `write` gives.
  private func server(
    _ write: @escaping @Sendable (HTTPBodyStream, EventLoop) -> Void
  ) async throws -> TestServer {
    try await TestServer { loop in
      ClosureHandler { request, responder in
        guard request.path == "/stream" else { return responder.respond(.text(200, "plain")) }
        let body = HTTPBodyStream()
        responder.respond(HTTPResponse(status: 200), streaming: body)
        write(body, loop)
      }
    }
  }

  @Test func theBodyComesInChunksAndTheConnectionGoesOn() async throws {
    let server = try await server { body, loop in
      body.write(Array("one".utf8))
      loop.schedule(after: .milliseconds(1)) {
        body.write(Array("three".utf8))
        body.write([])
        body.finish()
        #expect(!body.isOpen)
        body.write(Array("late".utf8))
      }
    }
    let client = RawClient(port: server.port)
    client.send(
      "GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let text = client.readToEnd()
    #expect(text.contains("\r\ntransfer-encoding: chunked\r\n"))
    #expect(text.contains("\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("plain"))
    #expect(!text.contains("late"))
    await server.stop()
    server.end()
  }

  @Test func anOldClientGetsItUpToTheEnd() async throws {
    let server = try await server { body, _ in
      body.write(Array("all of it".utf8))
      body.finish()
    }
    let client = RawClient(port: server.port)
    client.send("GET /stream HTTP/1.0\r\n\r\n")
    let text = client.readToEnd()
    #expect(!text.contains("transfer-encoding"))
    #expect(text.contains("\r\nconnection: close\r\n"))
    #expect(text.hasSuffix("\r\n\r\nall of it"))
    await server.stop()
    server.end()
  }

  @Test func headGetsNoBody() async throws {
    let (closed, continuation) = AsyncStream<Bool>.makeStream()
    let server = try await TestServer { _ in
      ClosureHandler { _, responder in
        let body = HTTPBodyStream()
        body.onClose = { continuation.yield(true) }
        responder.respond(HTTPResponse(status: 200), streaming: body)
        body.write([1])
      }
    }
    let client = RawClient(port: server.port)
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.response(toHead: true)?.status == 200)
    for await isClosed in closed {
      #expect(isClosed)
      break
    }
    await server.stop()
    server.end()
  }

  @Test func aReaderThatStopsHoldsTheWriterBack() async throws {
    let (told, continuation) = AsyncStream<(written: Int, pending: Int)>.makeStream()
    let server = try await server { body, loop in
      // Writes only when all was taken: what waits never grows beyond one piece.
      let piece = [UInt8](repeating: 7, count: 100_000)
      let written = LoopBound(Counter(), loop: loop)
      body.onDrain = {
        written.value.count += 1
        body.write(piece)
        if written.value.count == 400 {
          body.onDrain = nil
          body.finish()
        }
      }
      body.write(piece)
      loop.schedule(after: .milliseconds(300)) {
        continuation.yield((written.value.count, body.pendingBytes))
      }
    }
    let client = RawClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    for await (written, pending) in told {
      // Some MiB fit into the kernel's buffers; by far not all 40.
      #expect(written < 400)
      #expect((1...200_000).contains(pending))
      break
    }
    let text = client.readToEnd()
    #expect(text.utf8.count > 40_000_000)
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
    await server.stop()
    server.end()
  }

  private final class Counter {
    var count = 0
  }

  @Test func theWriterHearsThatThePeerWentAwayAndThatTheServerStops() async throws {
    let (events, continuation) = AsyncStream<String>.makeStream()
    let server = try await server { body, _ in
      body.onClose = { continuation.yield("closed") }
      body.onShutdown = {
        continuation.yield("shutdown")
        body.finish()
      }
      body.write([65])
    }
    var iterator = events.makeAsyncIterator()
    do {
      let client = RawClient(port: server.port)
      client.resetOnClose()
      client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.wait(1, milliseconds: 5000))
    }
    #expect(await iterator.next() == "closed")
    let client = RawClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.wait(1, milliseconds: 5000))
    await server.stop()
    #expect(await iterator.next() == "shutdown")
    #expect(client.readToEnd().hasSuffix("\r\n0\r\n\r\n"))
    server.end()
  }

  @Test func whatIsBrokenOffIsSeenToBe() async throws {
    let server = try await server { body, loop in
      body.write([65])
      loop.schedule(after: .milliseconds(1)) { body.breakOff() }
    }
    let client = RawClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(!client.readToEnd().hasSuffix("0\r\n\r\n"))
    await server.stop()
    server.end()
  }

  // MARK: HTTP/2

  @Test func overHTTP2TheBodyWaitsForTheWindow() throws {
    let connection = try MemoryConnection()
    var body: HTTPBodyStream?
    let sink = SessionSink(connection.server)
    connection.onRequest = { stream, _ in
      let new = HTTPBodyStream()
      body = new
      #expect(connection.server.begin(stream, HTTPResponse(status: 200)))
      new.open(sink, stream: stream)
      new.write(Array("first".utf8))
    }
    let stream = try connection.client.submit(HTTPRequest(method: "GET", path: "/stream", authority: "a"))
    try connection.pump()
    #expect(connection.responses[stream] == nil)
    // Nothing waits, so the library was told to ask again later.
    body?.write([UInt8](repeating: 1, count: 300_000))
    try connection.pump()
    body?.finish()
    try connection.pump()
    #expect(connection.responses[stream]?.status == 200)
    #expect(connection.responses[stream]?.body.count == 300_005)
    #expect(body?.pendingBytes == 0)
  }

  private final class SessionSink: HTTPBodySink {
    private let session: HTTP2ServerSession
    init(_ session: HTTP2ServerSession) { self.session = session }
    func write(_ bytes: [UInt8], stream: Int32) { session.appendBody(stream, bytes, isEnd: false) }
    func finish(stream: Int32) { session.appendBody(stream, [], isEnd: true) }
    func breakOff(stream: Int32) { session.reset(stream, .internalError) }
    func pendingBytes(stream: Int32) -> Int { session.pendingBody(stream) }
  }
}
