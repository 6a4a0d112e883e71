import Bytes
import Testing

@testable import HTTP

/// A small deterministic generator (xorshift) for tests that mutate input.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite struct HTTP1ParserStreamTests {
  static let stream = Array(
    """
    GET /a?b HTTP/1.1\r
    Host: example.com\r
    \r
    POST /b HTTP/1.1\r
    Host: example.com\r
    Content-Length: 5\r
    \r
    hello\r
    POST /c HTTP/1.1\r
    Host: example.com\r
    Transfer-Encoding: chunked\r
    \r
    5;ext=1\r
    world\r
    1\r
    !\r
    0\r
    X-Trailer: 1\r
    \r
    GET /d HTTP/1.0\r
    \r

    """.utf8)
  static let expected: [ParsedEvent] = [
    .request("GET /a ?b @example.com open"), .request("POST /b @example.com open body=hello"),
    .request("POST /c @example.com open body=world!"), .request("GET /d @- close 1.0"),
  ]

  @Test func everySplitGivesTheSameRequests() {
    let stream = Self.stream
    #expect(parse([stream]) == Self.expected)
    for split in 0...stream.count {
      #expect(parse([Array(stream[..<split]), Array(stream[split...])]) == Self.expected)
    }
  }

  @Test(arguments: [1, 2, 3, 7])
  func smallPiecesGiveTheSameRequests(_ size: Int) {
    let stream = Self.stream
    let pieces = stride(from: 0, to: stream.count, by: size).map {
      Array(stream[$0..<min($0 + size, stream.count)])
    }
    #expect(parse(pieces) == Self.expected)
  }

  @Test func aLongHeadAndBodyMayComeByteByByte() {
    var limits = HTTPLimits()
    limits.fieldBytes = 65_536
    let head = "POST / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 60_000))\r\n"
    let text = head + "Content-Length: 100000\r\n\r\n" + String(repeating: "y", count: 100_000)
    let events = parse(text.utf8.map { [$0] }, limits: limits)
    #expect(events == [.request("POST / @a open body=\(String(repeating: "y", count: 100_000))")])
  }

  /// Else a line that comes in single bytes would cost quadratic time.
  @Test func whatWasSearchedOfALineIsNotSearchedAgain() throws {
    var parser = HTTP1RequestParser()
    var buffer = ByteBuffer()
    buffer.append(Array("GET / HTTP/1.1\r\n".utf8))
    for count in 1...100 {
      buffer.append([0x78])
      _ = try parser.next(&buffer)
      #expect(parser.searched == count)
      #expect(buffer.count == count)
    }
  }

  @Test func limitsHoldAtTheirEdge() {
    var limits = HTTPLimits()
    limits.requestLine = 16
    limits.fieldCount = 2
    limits.fieldBytes = 24
    limits.body = 4
    let good = ParsedEvent.request("GET /xx @a open")
    #expect(parse("GET /xx HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) == [good])
    #expect(parse("GET /xxx HTTP/1.1\r\n", limits: limits) == [.failed(.requestLineTooLong)])
    // Without its line end the line is refused as soon as it is too long.
    #expect(parse("GET /xxxxxxxxxxxxx", limits: limits) == [.failed(.requestLineTooLong)])
    let start = "GET /xx HTTP/1.1\r\nHost: a\r\n"
    #expect(parse(start + "X: 67890123\r\n\r\n", limits: limits) == [good])
    #expect(parse(start + "X: 678901234\r\n\r\n", limits: limits) == [good])
    #expect(parse(start + "X: 67890123456\r\n\r\n", limits: limits) == [.failed(.fieldsTooLarge)])
    #expect(parse(start + "X: 67890123456789", limits: limits) == [.failed(.fieldsTooLarge)])
    #expect(parse(start + "X: 1\r\nY: 2\r\n\r\n", limits: limits) == [.failed(.fieldsTooLarge)])
    limits.fieldBytes = 1000
    let post = "POST /x HTTP/1.1\r\nHost: a\r\n"
    limits.requestLine = 100
    #expect(
      parse(post + "Content-Length: 4\r\n\r\nabcd", limits: limits) == [.request("POST /x @a open body=abcd")]
    )
    #expect(parse(post + "Content-Length: 5\r\n\r\n", limits: limits) == [.failed(.bodyTooLarge)])
    let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
    #expect(
      parse(chunked + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", limits: limits)
        == [.request("POST /x @a open body=abcd")])
    #expect(parse(chunked + "2\r\nab\r\n3\r\n", limits: limits) == [.failed(.bodyTooLarge)])
    #expect(
      parse(chunked + "0\r\nA: 1\r\nB: 1\r\nC: 1\r\n\r\n", limits: limits) == [.failed(.fieldsTooLarge)])
  }

  @Test func chunkExtensionsAreBoundedInSum() {
    let chunk = "1;" + String(repeating: "x", count: 200) + "\r\na\r\n"
    let text =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 30)
    #expect(parse(text) == [.failed(.malformedChunk)])
  }

  /// Whatever comes, the parser answers with requests or one error, the same for any split.
  @Test func mutatedStreamsAreHandledTheSameHoweverTheyArrive() {
    var random = SeededGenerator(seed: 0x5EED)
    let interesting: [UInt8] = [0, 9, 10, 13, 32, 44, 48, 58, 59, 65, 127, 128, 255]
    var failures = 0
    for _ in 0..<3000 {
      var stream = Self.stream
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<stream.count, using: &random)
        let byte = interesting.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: stream[position] = byte
        case 1: stream.insert(byte, at: position)
        case 2: stream.remove(at: position)
        default: stream.removeSubrange(position..<min(position + 9, stream.count))
        }
      }
      let whole = parse([stream])
      let cut = Int.random(in: 0...stream.count, using: &random)
      #expect(parse([Array(stream[..<cut]), Array(stream[cut...])]) == whole)
      if case .failed = whole.last { failures += 1 }
    }
    #expect(failures > 1000)
  }
}
