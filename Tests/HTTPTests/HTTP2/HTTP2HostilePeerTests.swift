import EventLoop
import HTTP
import Testing

/// Whatever a peer sends costs it the session at most.
@Suite struct HTTP2HostilePeerTests {
  private let now = MonotonicTime(nanoseconds: 1)

  /// HPACK: POST, https, path /, authority "h", then `extra` as they are.
  private func requestBlock(_ extra: [UInt8] = []) -> [UInt8] {
    [0x83, 0x87, 0x84, 0x41, 0x01, 0x68] + extra
  }

  private func openServer(_ configuration: HTTP2ServerSession.Configuration = .init()) throws
    -> HTTP2ServerSession
  {
    let server = try HTTP2ServerSession(configuration)
    try server.receive((clientPreface + frame(4)).span, now: now)
    _ = try server.nextOutput()
    return server
  }

  @Test func aServerRefusesWhatIsNoHTTP2() throws {
    let server = try HTTP2ServerSession()
    #expect(throws: HTTP2Error.self) {
      try server.receive(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8).span, now: now)
    }
  }

  @Test func aClientRefusesWhatIsNoHTTP2() throws {
    let client = try HTTP2ClientSession()
    _ = try client.nextOutput()
    do throws(HTTP2Error) {
      try client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span)
      _ = try client.nextOutput()
      #expect(client.isFinished)
      #expect(client.failure != nil)
    } catch {
      #expect(error != .outOfMemory)
    }
  }

  @Test func dataOnStreamZeroEndsTheConnection() throws {
    let server = try openServer()
    try server.receive(frame(0, stream: 0, [1, 2, 3]).span, now: now)
    let output = try server.nextOutput()
    #expect(output.count > 9 && output[3] == 7)
    #expect(server.isFinished)
    #expect(server.failure != nil)
  }

  @Test func anInvalidFieldResetsTheStreamOnly() throws {
    let server = try openServer()
    // A literal field "A: b": an upper-case name is malformed (RFC 9113, section 8.2.1).
    let bad = requestBlock([0x00, 0x01, 0x41, 0x01, 0x62])
    try server.receive(frame(1, flags: 5, stream: 1, bad).span, now: now)
    #expect(try server.nextOutput().prefix(13) == frame(3, stream: 1, [0, 0, 0, 1])[...])
    try server.receive(frame(1, flags: 5, stream: 3, requestBlock()).span, now: now)
    var requests: [Int32] = []
    while let event = server.nextEvent() {
      if case .request(let stream, _) = event { requests.append(stream) }
    }
    #expect(requests == [3])
    #expect(!server.isFinished)
  }

  @Test func trailersAreReadAndDropped() throws {
    let server = try openServer()
    let bytes =
      frame(1, flags: 4, stream: 1, requestBlock()) + frame(0, stream: 1, [0x61])
      + frame(1, flags: 5, stream: 1, [0x00, 0x01, 0x78, 0x01, 0x79])
    try server.receive(bytes.span, now: now)
    guard case .request(1, let request) = server.nextEvent() else {
      Issue.record("no request")
      return
    }
    #expect(request.body == [0x61])
    #expect(!request.fields.contains("x"))
  }

  @Test func responseTrailersAreReadAndDropped() throws {
    let client = try HTTP2ClientSession()
    let stream = try client.submit(post("/", []))
    _ = try client.nextOutput()
    let bytes =
      frame(4) + frame(1, flags: 4, stream: UInt32(stream), [0x88])
      + frame(0, stream: UInt32(stream), [0x61])
      + frame(1, flags: 5, stream: UInt32(stream), [0x00, 0x01, 0x78, 0x01, 0x79])
    try client.receive(bytes.span)
    var response: HTTPResponse?
    while let event = client.nextEvent() {
      if case .response(stream, let whole) = event { response = whole }
    }
    #expect(response?.status == 200)
    #expect(response?.body == [0x61])
    #expect(response?.fields.isEmpty == true)
  }

  @Test(arguments: [
    ("ping", 6 as UInt8, 0 as UInt32, [UInt8](repeating: 0, count: 8)), ("settings", 4, 0, []),
    ("empty data", 0, 1, []),
  ])
  func floodsEndTheConnection(name: String, type: UInt8, stream: UInt32, payload: [UInt8]) throws {
    var configuration = HTTP2ServerSession.Configuration()
    configuration.floodBudget = 200
    let server = try openServer(configuration)
    try server.receive(frame(1, flags: 4, stream: 1, requestBlock()).span, now: now)
    var sent = 0
    #expect(throws: HTTP2Error.flooded) {
      while sent < 1000 {
        try server.receive(frame(type, stream: stream, payload).span, now: now)
        _ = try server.nextOutput()
        sent += 1
      }
    }
    #expect(sent > 190 && sent < 210)
    // GOAWAY with ENHANCE_YOUR_CALM is the last word.
    #expect(try server.nextOutput().contains(0x0b))
    #expect(server.isFinished)
    #expect(server.failure == .flooded)
  }

  /// A large field in the dynamic table, and requests that name it with a byte each and never end.
  @Test func unfinishedRequestsHoldABoundedNumberOfBytes() throws {
    var configuration = HTTP2ServerSession.Configuration()
    configuration.maxUnfinishedBytes = 100_000
    configuration.maxBodyBytes = 1000
    let server = try openServer(configuration)
    // Literal with indexing, name "x", a value of 3,000 bytes: length 127 and the rest in seven bits each.
    let field = [0x40, 1, 0x78, 127, 0xB9, 0x16] + [UInt8](repeating: 0x61, count: 3000)
    // As `requestBlock`, but leaves the dynamic table alone, so that the field stays its first, 62.
    let head: [UInt8] = [0x83, 0x87, 0x84, 0x01, 0x01, 0x68]
    try server.receive(frame(1, flags: 4, stream: 1, head + field).span, now: now)
    for number in 1...60 {
      let block = head + [UInt8](repeating: 0x80 | 62, count: 7)
      try server.receive(frame(1, flags: 4, stream: UInt32(2 * number + 1), block).span, now: now)
    }
    var refused: Set<Int32> = []
    func takeEvents() throws {
      while let event = server.nextEvent() {
        if case .streamClosed(let stream, .refusedStream) = event { refused.insert(stream) }
      }
    }
    _ = try server.nextOutput()
    try takeEvents()
    // Each holds some 21,000 bytes.
    #expect(refused.count == 56, "\(refused.count)")
    // What they held is free once they end, whichever way.
    for stream in [1, 3, 5, 7, 9] as [UInt32] {
      try server.receive(frame(3, stream: stream, [0, 0, 0, 8]).span, now: now)
    }
    try server.receive(frame(1, flags: 5, stream: 201, head + [0x80 | 62]).span, now: now)
    var isServed = false
    while let event = server.nextEvent() {
      if case .request(201, _) = event { isServed = true }
    }
    #expect(isServed)
  }

  @Test func rapidResetsEndTheConnection() throws {
    var configuration = HTTP2ServerSession.Configuration()
    configuration.floodBudget = 100
    let server = try openServer(configuration)
    #expect(throws: HTTP2Error.flooded) {
      for index in 0..<500 as Range<UInt32> {
        let stream = index * 2 + 1
        let bytes =
          frame(1, flags: 5, stream: stream, requestBlock()) + frame(3, stream: stream, [0, 0, 0, 8])
        try server.receive(bytes.span, now: now)
      }
    }
  }

  @Test func theFloodBudgetComesBackWithTime() throws {
    var configuration = HTTP2ServerSession.Configuration()
    configuration.floodBudget = 50
    configuration.floodBudgetPerSecond = 10
    let server = try openServer(configuration)
    var time = now
    for _ in 0..<200 {
      time = time + .milliseconds(100)
      try server.receive(frame(6, [UInt8](repeating: 0, count: 8)).span, now: time)
      _ = try server.nextOutput()
    }
    #expect(!server.isFinished)
  }

  /// Random damage to a good conversation, on both ends.
  @Test func damagedBytesNeverEndTheProcess() throws {
    var generator = SplitMix(state: 7)
    let client = try HTTP2ClientSession()
    for index in 0..<5 { _ = try client.submit(post("/\(index)")) }
    let toServer = try client.nextOutput()
    let server = try HTTP2ServerSession()
    try server.receive(toServer.span, now: now)
    while let event = server.nextEvent() {
      if case .request(let stream, _) = event { server.respond(stream, .text(200, "fine")) }
    }
    let toClient = try server.nextOutput()
    var ended = 0
    for _ in 0..<2000 {
      let victim = try HTTP2ServerSession()
      let other = try HTTP2ClientSession()
      for index in 0..<5 { _ = try other.submit(post("/\(index)")) }
      _ = try other.nextOutput()
      do throws(HTTP2Error) {
        try victim.receive(damage(toServer, &generator).span, now: now)
        while let event = victim.nextEvent() {
          if case .request(let stream, _) = event { victim.respond(stream, .text(200, "fine")) }
        }
        _ = try victim.nextOutput()
        if victim.isFinished { ended += 1 }
      } catch {
        ended += 1
      }
      do throws(HTTP2Error) {
        try other.receive(damage(toClient, &generator).span)
        while other.nextEvent() != nil {}
        _ = try other.nextOutput()
        if other.isFinished { ended += 1 }
      } catch {
        ended += 1
      }
    }
    #expect(ended > 100)
  }

  private func damage(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let at = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: at)
      default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
      }
    }
    return bytes
  }
}

/// A repeatable source of random numbers.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
