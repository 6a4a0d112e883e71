import EventLoop
import HTTP
import Testing

/// How streams are broken off, and how a session ends.
@Suite struct HTTP2SessionEndTests {
  @Test func aRequestThatWaitsCanBeCancelled() throws {
    var server = HTTP2ServerSession.Configuration()
    server.maxConcurrentStreams = 1
    let pair = try MemoryConnection(server: server)
    try pair.pump()
    let first = try pair.client.submit(post("/first"))
    let second = try pair.client.submit(post("/second"))
    try pair.pump()
    pair.client.cancel(second)
    try pair.pump()
    pair.server.respond(first, .empty(200))
    try pair.pump()
    #expect(pair.requests.map { $0.request.path } == ["/first"])
    #expect(pair.responses[first]?.status == 200)
    #expect(pair.closed[second] != nil)
    #expect(pair.client.openStreams == 0)
  }

  @Test func cancelResetsTheStreamAtTheServer() throws {
    let pair = try MemoryConnection()
    let stream = try pair.client.submit(post("/"))
    try pair.pump()
    #expect(pair.client.wasSent(stream))
    pair.client.cancel(stream)
    try pair.pump()
    let ended = pair.serverEvents.contains {
      if case .streamClosed(stream, .cancel) = $0 { true } else { false }
    }
    #expect(ended)
    #expect(pair.closed == [stream: .reset(.cancel)])
    pair.server.respond(stream, .empty(200))
    try pair.pump()
    #expect(pair.responses.isEmpty)
  }

  @Test func resetsComeWithTheirCode() throws {
    let pair = try MemoryConnection()
    let codes: [HTTP2ErrorCode] = [.refusedStream, .internalError, .enhanceYourCalm, .init(rawValue: 77)]
    let streams = try codes.map { _ in try pair.client.submit(post("/")) }
    try pair.pump()
    for (stream, code) in zip(streams, codes) { pair.server.reset(stream, code) }
    try pair.pump()
    #expect(
      pair.closed == [
        streams[0]: .refused, streams[1]: .reset(.internalError), streams[2]: .reset(.enhanceYourCalm),
        streams[3]: .reset(.init(rawValue: 77)),
      ])
  }

  @Test func goAwayRefusesWhatIsAboveItsLastStreamOnly() throws {
    let pair = try MemoryConnection()
    let streams = try (0..<4).map { try pair.client.submit(post("/\($0)")) }
    try pair.pump()
    let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
    try pair.server.goAway(lastStream: streams[1], .noError, debugData: reason)
    let unsent = try pair.client.submit(post("/unsent"))
    try pair.pump()
    #expect(pair.closed[streams[2]] == .refused)
    #expect(pair.closed[streams[3]] == .refused)
    #expect(pair.closed[unsent] == .refused)
    let goAway = pair.clientEvents.contains {
      if case .goAway(streams[1], .noError, reason) = $0 { true } else { false }
    }
    #expect(goAway)
    #expect(throws: HTTP2Error.closing) { try pair.client.submit(post("/late")) }
    #expect(!pair.client.isFinished)
    pair.server.respond(streams[0], .empty(200))
    pair.server.respond(streams[1], .empty(201))
    try pair.pump()
    #expect(pair.responses.mapValues(\.status) == [streams[0]: 200, streams[1]: 201])
    #expect(pair.client.isFinished)
    #expect(pair.server.isFinished)
  }

  /// Frames of several streams mix; GOAWAY names the highest of them, not that of the latest frame.
  @Test func goAwayNamesTheHighestStreamThatCame() throws {
    // Two requests whose bodies follow later, that of the first one last.
    let head: [UInt8] = [0x83, 0x87, 0x84, 0x41, 0x01, 0x68]
    let server = try HTTP2ServerSession()
    let bytes =
      clientPreface + frame(4) + frame(1, flags: 4, stream: 1, head) + frame(1, flags: 4, stream: 3, head)
      + frame(0, flags: 1, stream: 3, [0x61]) + frame(0, flags: 1, stream: 1, [0x61])
    try server.receive(bytes.span, now: MonotonicTime(nanoseconds: 1))
    try server.goAway()
    let output = try server.nextOutput()
    let goAway = try #require(output.firstRange(of: [0, 0, 8, 7, 0, 0, 0, 0, 0]))
    #expect(Array(output[goAway.upperBound...].prefix(4)) == [0, 0, 0, 3])
  }

  /// A request that crosses our GOAWAY will be made again elsewhere: it must not be served here as well.
  @Test func whatComesBeforeTheGoAwayIsSentIsNotServed() throws {
    let pair = try MemoryConnection()
    let first = try pair.client.submit(post("/first"))
    try pair.pump()
    try pair.server.goAway()
    let second = try pair.client.submit(post("/second"))
    let crossing = try pair.client.nextOutput()
    try pair.server.receive(crossing.span, now: pair.now)
    try pair.pump()
    #expect(pair.requests.map { $0.request.path } == ["/first"])
    #expect(pair.closed[second] == .refused)
    pair.server.respond(first, .empty(200))
    try pair.pump()
    #expect(pair.responses[first]?.status == 200)
    #expect(pair.server.isFinished)
  }

  @Test func aCleanEndOfTheServerLosesNothing() throws {
    let pair = try MemoryConnection()
    pair.onRequest = { [unowned pair] stream, _ in pair.server.respond(stream, .empty(200)) }
    let before = try pair.client.submit(post("/before"))
    try pair.server.announceShutdown()
    try pair.pump()
    try pair.server.goAway()
    try pair.pump()
    #expect(pair.responses[before]?.status == 200)
    #expect(pair.server.isFinished)
    #expect(pair.client.isFinished)
  }

  @Test func clientShutdownFinishesBothEnds() throws {
    let pair = try MemoryConnection()
    try pair.pump()
    #expect(!pair.client.isFinished)
    pair.client.shutdown()
    try pair.pump()
    #expect(pair.client.isFinished)
    #expect(pair.server.isFinished)
    #expect(pair.client.failure == nil)
  }
}
