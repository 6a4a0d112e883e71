import EventLoop
import HTTP
import Testing

@Suite struct HTTP2SessionTests {
  @Test func requestAndResponseArriveWhole() throws {
    let pair = try MemoryConnection()
    pair.onRequest = { [unowned pair] stream, request in
      pair.server.respond(
        stream,
        HTTPResponse(status: 201, fields: [HTTPField("apns-id", "abc")], body: request.body + [0x21]))
    }
    let request = HTTPRequest(
      method: "POST", path: "/3/device/00ff", query: "a=b?c", authority: "gateway.test", scheme: "https",
      fields: [
        HTTPField("authorization", "bearer xyz"), HTTPField("connection", "close"),
        HTTPField("host", "other"), HTTPField("cookie", "a=1"), HTTPField("cookie", "b=2"),
      ], body: Array("hello".utf8))
    let stream = try pair.client.submit(request)
    #expect(!pair.client.wasSent(stream))
    try pair.pump(chunk: 1)
    let seen = try #require(pair.requests.first?.request)
    #expect(seen.method == "POST")
    #expect(seen.path == "/3/device/00ff")
    #expect(seen.query == "a=b?c")
    #expect(seen.authority == "gateway.test")
    #expect(seen.scheme == "https")
    #expect(seen.body == Array("hello".utf8))
    #expect(seen.fields.first("authorization") == "bearer xyz")
    #expect(seen.fields.all("cookie") == ["a=1; b=2"])
    #expect(!seen.fields.contains("connection"))
    #expect(!seen.fields.contains("host"))
    #expect(seen.fields.first("content-length") == "5")
    let response = try #require(pair.responses[stream])
    #expect(response.status == 201)
    #expect(response.fields.first("apns-id") == "abc")
    #expect(response.body == Array("hello!".utf8))
    #expect(pair.closed == [stream: nil])
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
  }

  @Test func fieldsThatCannotBeSentAreRefused() throws {
    let pair = try MemoryConnection()
    #expect(throws: HTTP2Error.invalidField("x-bad")) {
      try pair.client.submit(post("/", [], [HTTPField("x-bad", "a\r\nb: c")]))
    }
    #expect(throws: HTTP2Error.invalidField(":path")) { try pair.client.submit(post("/a b")) }
    pair.onRequest = { [unowned pair] stream, _ in
      pair.server.respond(stream, HTTPResponse(status: 200, fields: [HTTPField("x-bad", "a\nb")]))
    }
    let stream = try pair.client.submit(post("/"))
    try pair.pump()
    #expect(pair.responses[stream]?.status == 500)
  }

  @Test func headGetsNoBodyAndNoContentNone() throws {
    let pair = try MemoryConnection()
    pair.onRequest = { [unowned pair] stream, request in
      pair.server.respond(stream, .text(request.path == "/none" ? 204 : 200, "four"))
    }
    let head = try pair.client.submit(HTTPRequest(method: "HEAD", path: "/", authority: "h"))
    let none = try pair.client.submit(HTTPRequest(method: "GET", path: "/none", authority: "h"))
    try pair.pump()
    #expect(pair.responses[head]?.body == [])
    #expect(pair.responses[head]?.fields.first("content-length") == "4")
    #expect(pair.responses[none]?.body == [])
    #expect(pair.responses[none]?.fields.contains("content-length") == false)
  }

  @Test func thousandsOfStreamsShareTheLimit() throws {
    var server = HTTP2ServerSession.Configuration()
    server.maxConcurrentStreams = 50
    let pair = try MemoryConnection(server: server)
    try pair.pump()
    var most = 0
    pair.onRequest = { [unowned pair] stream, request in
      most = max(most, pair.server.openStreams)
      pair.server.respond(stream, .text(200, request.path))
    }
    var expected: [Int32: String] = [:]
    for index in 0..<5000 {
      expected[try pair.client.submit(post("/\(index)"))] = "/\(index)"
    }
    try pair.pump()
    let paths = pair.responses.mapValues { String(decoding: $0.body, as: UTF8.self) }
    let allMatch = paths == expected  // Apart: a failure need not print them all.
    #expect(allMatch)
    #expect(pair.closed.count == 5000)
    #expect(most <= 50)
  }

  @Test func largeBodiesPassTheWindowsBothWays() throws {
    var client = HTTP2ClientSession.Configuration()
    client.maxBodyBytes = 4_000_000
    client.streamWindow = 65_535
    client.connectionWindow = 65_535
    var server = HTTP2ServerSession.Configuration()
    server.maxBodyBytes = 4_000_000
    server.connectionWindow = 65_535
    let pair = try MemoryConnection(client: client, server: server)
    pair.onRequest = { [unowned pair] stream, request in
      pair.server.respond(stream, HTTPResponse(status: 200, body: request.body))
    }
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let first = try pair.client.submit(post("/a", body))
    let second = try pair.client.submit(post("/b", body))
    try pair.pump()
    #expect(pair.responses[first]?.body == body)
    #expect(pair.responses[second]?.body == body)
  }

  @Test func aHeaderBlockLongerThanAFrameArrives() throws {
    var client = HTTP2ClientSession.Configuration()
    client.maxHeaderListBytes = 64_000
    var server = HTTP2ServerSession.Configuration()
    server.maxHeaderListBytes = 64_000
    let pair = try MemoryConnection(client: client, server: server)
    pair.onRequest = { [unowned pair] stream, request in
      pair.server.respond(stream, HTTPResponse(status: 200, fields: request.fields))
    }
    let long = String(repeating: "~", count: 40_000)
    let stream = try pair.client.submit(post("/", [], [HTTPField("x-long", long)]))
    try pair.pump()
    #expect(pair.responses[stream]?.fields.first("x-long") == long)
  }

  @Test func requestsOverALimitAreAnswered() throws {
    var server = HTTP2ServerSession.Configuration()
    server.maxHeaderListBytes = 1000
    server.maxBodyBytes = 100_000
    server.maxPathBytes = 50
    server.maxFields = 10
    let pair = try MemoryConnection(server: server)
    pair.onRequest = { [unowned pair] stream, _ in pair.server.respond(stream, .empty(200)) }
    let long = try pair.client.submit(post("/" + String(repeating: "p", count: 50)))
    let many = try pair.client.submit(
      post("/", [], HTTPFields((0..<11).map { HTTPField("x-\($0)", "") })))
    let wide = try pair.client.submit(
      post("/", [], [HTTPField("x-long", String(repeating: "a", count: 2000))]))
    let exact = try pair.client.submit(post("/", [UInt8](repeating: 1, count: 100_000)))
    let heavy = try pair.client.submit(post("/", [UInt8](repeating: 1, count: 100_001)))
    try pair.pump()
    #expect(pair.responses[long]?.status == 414)
    #expect(pair.responses[many]?.status == 431)
    #expect(pair.responses[wide]?.status == 431)
    #expect(pair.responses[exact]?.status == 200)
    #expect(pair.responses[heavy]?.status == 413)
    #expect(pair.requests.count == 1)
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
  }

  @Test func responsesOverALimitFailTheirStreamAlone() throws {
    var client = HTTP2ClientSession.Configuration()
    client.maxHeaderListBytes = 2000
    client.maxBodyBytes = 1000
    let pair = try MemoryConnection(client: client)
    pair.onRequest = { [unowned pair] stream, request in
      switch request.path {
      case "/wide":
        let field = HTTPField("x-long", String(repeating: "a", count: 3000))
        pair.server.respond(stream, HTTPResponse(status: 200, fields: [field]))
      case "/heavy":
        pair.server.respond(stream, HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 1001)))
      default:
        pair.server.respond(stream, HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 1000)))
      }
    }
    let wide = try pair.client.submit(post("/wide"))
    let heavy = try pair.client.submit(post("/heavy"))
    let fine = try pair.client.submit(post("/fine"))
    try pair.pump()
    #expect(pair.closed == [wide: .responseTooLarge, heavy: .responseTooLarge, fine: nil])
    #expect(pair.responses[fine]?.body.count == 1000)
  }

  @Test func requestsThatMakeNoSenseAreRefused() throws {
    let pair = try MemoryConnection()
    let user = try pair.client.submit(HTTPRequest(method: "GET", path: "/", authority: "user@h"))
    let tunnel = try pair.client.submit(HTTPRequest(method: "CONNECT", path: "/", authority: "h:1"))
    try pair.pump()
    #expect(pair.responses[user]?.status == 400)
    #expect(pair.requests.isEmpty)
    #expect(pair.closed[tunnel] != nil)
  }

  @Test func whoExpectsAContinueGetsOne() throws {
    let pair = try MemoryConnection()
    pair.onRequest = { [unowned pair] stream, request in
      pair.server.respond(stream, .text(200, "\(request.body.count)"))
    }
    let stream = try pair.client.submit(post("/", [1, 2, 3], [HTTPField("expect", "100-continue")]))
    try pair.pump()
    #expect(pair.responses[stream]?.body == Array("3".utf8))
  }

  @Test func limitsOnStreamsMayGoToNothingAndBack() throws {
    var server = HTTP2ServerSession.Configuration()
    server.maxConcurrentStreams = 1
    let pair = try MemoryConnection(server: server)
    pair.onRequest = { [unowned pair] stream, _ in pair.server.respond(stream, .empty(200)) }
    try pair.pump()
    #expect(pair.maxStreams == [1])
    try pair.server.setMaxConcurrentStreams(0)
    try pair.pump()
    let waiting = try (0..<3).map { try pair.client.submit(post("/\($0)")) }
    try pair.pump()
    #expect(pair.requests.isEmpty)
    #expect(!pair.client.wasSent(waiting[0]))
    try pair.server.setMaxConcurrentStreams(100)
    try pair.pump()
    #expect(pair.maxStreams == [1, 0, 100])
    #expect(Set(pair.responses.keys) == Set(waiting))
  }

  @Test func pingIsAcknowledgedWithItsPayload() throws {
    let pair = try MemoryConnection()
    try pair.client.ping(0x0102_0304_0506_0708)
    try pair.pump()
    let acknowledged = pair.clientEvents.contains {
      if case .pingAcknowledged(0x0102_0304_0506_0708) = $0 { true } else { false }
    }
    #expect(acknowledged)
  }

  @Test func interimResponsesAreSkipped() throws {
    let pair = try MemoryConnection()
    let stream = try pair.client.submit(post("/"))
    try pair.pump()
    try pair.server.sendInterim(stream, status: 103)
    try pair.pump()
    #expect(pair.responses.isEmpty)
    pair.server.respond(stream, .text(200, "final"))
    try pair.pump()
    #expect(pair.responses[stream]?.status == 200)
    #expect(pair.responses[stream]?.fields.all("content-length") == ["5"])
  }

  @Test func anEarlyAnswerEndsTheUpload() throws {
    var server = HTTP2ServerSession.Configuration()
    server.maxBodyBytes = 100_000
    let pair = try MemoryConnection(server: server)
    let stream = try pair.client.submit(post("/", [UInt8](repeating: 7, count: 20_000_000)))
    try pair.pump()
    #expect(pair.responses[stream]?.status == 413)
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
    #expect(pair.clientBytes < 2_000_000)
  }

  /// What repeats costs a byte or so each time, because what does not is kept out of the table.
  @Test func repeatedFieldsStaySmall() throws {
    let pair = try MemoryConnection()
    pair.onRequest = { [unowned pair] stream, _ in pair.server.respond(stream, .empty(200)) }
    func request(_ index: Int) -> HTTPRequest {
      let id = "00000000-0000-4000-8000-" + String(100_000_000_000 + index)
      return post(
        "/3/device/" + String(repeating: "ab", count: 32), [],
        [
          HTTPField("apns-topic", "com.example.a-rather-long-topic.for-a-wallet"),
          HTTPField("apns-push-type", "alert"), HTTPField("apns-id", id),
          HTTPField("apns-expiration", String(1_700_000_000 + index)),
        ])
    }
    for index in 0..<100 { _ = try pair.client.submit(request(index)) }
    try pair.pump()
    let before = pair.clientBytes
    _ = try pair.client.submit(request(500))
    try pair.pump()
    // Path 74 and id 36 bytes, Huffman-coded, with their names; the frame and the body on top. The
    // topic alone would be 30 more.
    #expect(pair.clientBytes - before < 125)
    #expect(pair.responses.count == 101)
  }
}
