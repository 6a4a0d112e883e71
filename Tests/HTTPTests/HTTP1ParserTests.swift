import Bytes
import Testing

@testable import HTTP

/// What came out of a stream of bytes.
enum ParsedEvent: Equatable {
  case request(String)
  case expectsContinue
  case failed(HTTP1Error)
}

/// Feeds `pieces` one after the other and collects what the parser says.
func parse(_ pieces: [[UInt8]], limits: HTTPLimits = HTTPLimits()) -> [ParsedEvent] {
  var parser = HTTP1RequestParser(limits: limits)
  var buffer = ByteBuffer()
  var events: [ParsedEvent] = []
  for piece in pieces {
    buffer.append(piece)
    do {
      reading: while true {
        switch try parser.next(&buffer) {
        case .needsMore: break reading
        case .expectsContinue: events.append(.expectsContinue)
        case .request(let request): events.append(.request(describe(request)))
        }
      }
    } catch {
      events.append(.failed(error))
      break
    }
  }
  return events
}

func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [ParsedEvent] {
  parse([Array(text.utf8)], limits: limits)
}

private func describe(_ parsed: HTTP1Request) -> String {
  let request = parsed.request
  var text = "\(request.method) \(request.path)"
  if let query = request.query { text += " ?\(query)" }
  text += " @\(request.authority ?? "-")"
  text += parsed.isPersistent ? " open" : " close"
  if parsed.isHTTP10 { text += " 1.0" }
  if !request.body.isEmpty { text += " body=\(String(decoding: request.body, as: UTF8.self))" }
  return text
}

@Suite struct HTTP1ParserTests {
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / @a open"),
    ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / @a open"),
    ("GET /a%20b/?x=1?y HTTP/1.1\r\nhOsT:\t a:80 \t\r\n\r\n", "GET /a%20b/ ?x=1?y @a:80 open"),
    ("GET /? HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET / ? @[::1]:80 open"),
    ("GET / HTTP/1.0\r\n\r\n", "GET / @- close 1.0"),
    ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / @- open 1.0"),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", "GET / @a close"),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", "GET / @a close"),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * @a open"),
    ("GET http://b:8080/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "GET /x ?y @b:8080 open"),
    ("GET HTTPS://b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / @b open"),
    ("GET http://b?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET / ?q @b open"),
    ("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * @b open"),
    ("GET //x HTTP/1.1\r\nHost: a\r\n\r\n", "GET //x @a open"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "POST / @a open body=abc"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabc", "POST / @a open body=abc"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "POST / @a open"),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n",
      "POST / @a open body=abc0123456789"
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1 ; x\r\nz\r\n00\r\nContent-Length: 9\r\n\r\n",
      "POST / @a open body=z"
    ),
  ])
  func accepts(_ text: String, _ expected: String) {
    #expect(parse(text) == [.request(expected)])
  }

  static let refusals: [(String, HTTP1Error)] = [
    // Request lines.
    ("GET /\r\n\r\n", .malformedRequestLine),
    ("\r\n\r\nGET / HTTP/1.1\r\n", .malformedRequestLine),
    ("GET  / HTTP/1.1\r\n", .malformedRequestLine),
    ("GET /  HTTP/1.1\r\n", .malformedRequestLine),
    ("GET / HTTP/1.1 \r\n", .malformedRequestLine),
    ("GET\t/ HTTP/1.1\r\n", .malformedRequestLine),
    (" GET / HTTP/1.1\r\n", .malformedRequestLine),
    ("G(T / HTTP/1.1\r\n", .malformedRequestLine),
    ("GET / http/1.1\r\n", .malformedRequestLine),
    ("GET / HTTP/1.10\r\n", .malformedRequestLine),
    ("GET / HTTP/11\r\n", .malformedRequestLine),
    ("GET / HTTP/x.1\r\n", .malformedRequestLine),
    ("\u{16}\u{3}\u{1}", .malformedRequestLine),
    ("GET / HTTP/1.1\n", .bareLineFeed),
    ("\nGET / HTTP/1.1\r\n", .malformedRequestLine),
    ("/GET / HTTP/1.1\n", .malformedRequestLine),
    ("GET / HTTP/1.2\r\n", .versionNotSupported),
    ("GET / HTTP/2.0\r\n", .versionNotSupported),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
    ("GET / HTTP/0.9\r\n", .versionNotSupported),
    // Targets.
    ("GET * HTTP/1.1\r\n", .invalidTarget),
    ("GET a:80 HTTP/1.1\r\n", .invalidTarget),
    ("GET x/y HTTP/1.1\r\n", .invalidTarget),
    ("GET ftp://a/ HTTP/1.1\r\n", .invalidTarget),
    ("GET http:///x HTTP/1.1\r\n", .invalidTarget),
    ("GET http://u@a/x HTTP/1.1\r\n", .invalidTarget),
    ("GET /#f HTTP/1.1\r\n", .invalidTarget),
    ("GET /\u{E9} HTTP/1.1\r\n", .invalidTarget),
    ("GET /\0 HTTP/1.1\r\n", .invalidTarget),
    ("GET /a\rb HTTP/1.1\r\n", .invalidTarget),
    ("CONNECT a:443 HTTP/1.1\r\n", .methodNotImplemented),
    // Fields; the request line goes before.
    ("+Host : a\r\n", .malformedField),
    ("+Host\t: a\r\n", .malformedField),
    ("+: a\r\n", .malformedField),
    ("+Host\r\n", .malformedField),
    ("+Ho st: a\r\n", .malformedField),
    ("+X\u{E9}: a\r\n", .malformedField),
    ("+X: a\rb\r\n", .malformedField),
    ("+X: a\r\r\n", .malformedField),
    ("+X: a\0b\r\n", .malformedField),
    ("+X: a\u{1}b\r\n", .malformedField),
    ("+X: a\u{7F}b\r\n", .malformedField),
    ("+X: a\nY: b\r\n", .bareLineFeed),
    ("+Host: a\r\n\n", .bareLineFeed),
    ("+ Host: a\r\n", .obsoleteLineFolding),
    ("+X: a\r\n b\r\n", .obsoleteLineFolding),
    ("+X: a\r\n\tb\r\n", .obsoleteLineFolding),
    // Host.
    ("+\r\n", .invalidHost),
    ("+Host: a\r\nHost: a\r\n", .invalidHost),
    ("+Host:\r\n", .invalidHost),
    ("+Host: a b\r\n", .invalidHost),
    ("+Host: a, b\r\n", .invalidHost),
    ("+Host: u@a\r\n", .invalidHost),
    ("+Host: a/b\r\n", .invalidHost),
    ("+Host: a:8x\r\n", .invalidHost),
    ("+Host: [::1\r\n", .invalidHost),
    ("+Host: :80\r\n", .invalidHost),
    ("GET http://b/ HTTP/1.1\r\n\r\n", .invalidHost),
    // Framing.
    ("+Content-Length: 1\r\nContent-Length: 1\r\n", .invalidContentLength),
    ("+Content-Length: 1, 1\r\n", .invalidContentLength),
    ("+Content-Length: +1\r\n", .invalidContentLength),
    ("+Content-Length: -1\r\n", .invalidContentLength),
    ("+Content-Length: 0x1\r\n", .invalidContentLength),
    ("+Content-Length: 1 1\r\n", .invalidContentLength),
    ("+Content-Length:\r\n", .invalidContentLength),
    ("+Host: a\r\nContent-Length: 99999999999999999999999999\r\n\r\n", .bodyTooLarge),
    ("+Host: a\r\nContent-Length: 18446744073709551617\r\n\r\n", .bodyTooLarge),
    ("+Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .conflictingFraming),
    ("+Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", .conflictingFraming),
    ("+Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", .conflictingFraming),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .conflictingFraming),
    ("+Transfer-Encoding: gzip, chunked\r\n", .unsupportedTransferCoding),
    ("+Transfer-Encoding: chunked, chunked\r\n", .unsupportedTransferCoding),
    ("+Transfer-Encoding: xchunked\r\n", .unsupportedTransferCoding),
    ("+Transfer-Encoding: identity\r\n", .unsupportedTransferCoding),
    ("+Transfer-Encoding:\r\n", .unsupportedTransferCoding),
    ("+Expect: 200-ok\r\n", .unsupportedExpectation),
    // Chunks; a chunked head goes before.
    ("*\r\n", .malformedChunk),
    ("*x\r\n", .malformedChunk),
    ("*0x1\r\n", .malformedChunk),
    ("*-1\r\n", .malformedChunk),
    ("* 1\r\n", .malformedChunk),
    ("*1 \r\n", .malformedChunk),
    ("*1 2\r\n", .malformedChunk),
    ("*1;\u{1}\r\n", .malformedChunk),
    ("*1;a\rb\r\n", .malformedChunk),
    ("*000000001\r\n", .malformedChunk),
    ("*1\n", .bareLineFeed),
    ("*1\r\nab\r\n", .malformedChunk),
    ("*1\r\na\n", .bareLineFeed),
    ("*1\r\naGET / HTTP\n", .malformedChunk),
    ("*FFFFFFFF\r\n", .bodyTooLarge),
    ("*0\r\nX : a\r\n", .malformedField),
    ("*0\r\n x\r\n", .obsoleteLineFolding),
    ("*0\r\nX: a\n", .bareLineFeed),
    ("*1;" + String(repeating: "x", count: 300), .malformedChunk),
  ]

  @Test(arguments: refusals)
  func refuses(_ shape: String, _ expected: HTTP1Error) {
    var text = shape
    if shape.hasPrefix("+") {
      text = "POST / HTTP/1.1\r\n" + shape.dropFirst()
    } else if shape.hasPrefix("*") {
      text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + shape.dropFirst()
    }
    #expect(parse(text) == [.failed(expected)])
    #expect(parse(text.utf8.map { [$0] }) == [.failed(expected)])
  }

  @Test func eachErrorHasAnErrorStatus() {
    for (_, error) in Self.refusals {
      #expect([400, 413, 417, 501, 505].contains(error.status))
      #expect(!HTTPStatus.reason(error.status).isEmpty)
    }
    #expect(HTTP1Error.requestLineTooLong.status == 414)
    #expect(HTTP1Error.fieldsTooLarge.status == 431)
    #expect(HTTP1Error.requestTimedOut.status == 408)
  }

  @Test func anErrorStays() {
    var parser = HTTP1RequestParser()
    var buffer = ByteBuffer()
    buffer.append(Array("GET / HTTP/3.0\r\n".utf8))
    for _ in 0..<2 {
      #expect(throws: HTTP1Error.versionNotSupported) { _ = try parser.next(&buffer) }
      buffer.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    }
  }

  @Test func fieldsAreLoweredTrimmedAndKeptInOrder() throws {
    var parser = HTTP1RequestParser(scheme: "https")
    var buffer = ByteBuffer()
    buffer.append(Array("GET / HTTP/1.1\r\nHost: a\r\nX-A:  1 2\t\r\nx-a:\r\nX-B: \u{E9}\r\n\r\n".utf8))
    guard case .request(let parsed) = try parser.next(&buffer) else {
      Issue.record("no request")
      return
    }
    #expect(parsed.request.scheme == "https")
    #expect(
      parsed.request.fields.map { "\($0.name)=\($0.value)" } == ["host=a", "x-a=1 2", "x-a=", "x-b=\u{E9}"])
  }

  @Test func expectContinueIsToldOnceAndOnlyWhileTheBodyIsMissing() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
    let done = ParsedEvent.request("POST / @a open body=abc")
    #expect(parse([Array(head.utf8), [0x61], Array("bc".utf8)]) == [.expectsContinue, done])
    #expect(parse([Array((head + "a").utf8), Array("bc".utf8)]) == [done])
    #expect(parse([Array((head + "abc").utf8)]) == [done])
    let old = "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
    #expect(parse([Array(old.utf8), [0x61]]) == [.request("POST / @- close 1.0 body=a")])
    let empty = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n"
    #expect(parse(empty) == [.request("POST / @a open")])
  }
}
