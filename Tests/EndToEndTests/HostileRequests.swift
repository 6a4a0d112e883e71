/// Requests that no sane client sends, and exactly what becomes of them.
struct HostileRequest: Sendable, CustomStringConvertible {
  /// What is sent, byte for byte.
  let bytes: [UInt8]
  /// The statuses of the answers, in order.
  let statuses: [Int]
  /// Whether the connection ends after them; otherwise it serves another request.
  let closes: Bool
  let description: String

  init(_ description: String, _ bytes: [UInt8], _ statuses: [Int], closes: Bool = true) {
    self.description = description
    self.bytes = bytes
    self.statuses = statuses
    self.closes = closes
  }

  init(_ description: String, _ text: String, _ statuses: [Int], closes: Bool = true) {
    self.init(description, Array(text.utf8), statuses, closes: closes)
  }

  /// Refused, and the connection is closed.
  private static func refused(_ description: String, _ text: String, _ status: Int = 400) -> HostileRequest {
    HostileRequest(description, text, [status])
  }

  /// Answered, and the connection goes on.
  private static func answered(_ description: String, _ text: String, _ status: Int) -> HostileRequest {
    HostileRequest(description, text, [status], closes: false)
  }

  private static func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static func post(_ fields: String, _ body: String = "") -> String {
    "POST /clients HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
  }

  private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked\r\n", body) }

  private static let rest = " HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let good = get("/health")

  static let all = requestLines + targets + fields + lengths + chunks + sequences + paths

  // MARK: Request line (RFC 9112, section 3)

  private static let requestLines: [HostileRequest] = [
    refused("two spaces before the target", "GET  /health" + rest),
    refused("two spaces after the target", "GET /health " + rest),
    refused("a space before the method", " GET /health" + rest),
    refused("tabs between the parts", "GET\t/health\tHTTP/1.1\r\nHost: a\r\n\r\n"),
    refused("a space after the version", "GET /health HTTP/1.1 \r\nHost: a\r\n\r\n"),
    refused("HTTP/0.9", "GET /health\r\n\r\n"),
    refused("HTTP/1.2", "GET /health HTTP/1.2\r\nHost: a\r\n\r\n", 505),
    refused("HTTP/2.0 in clear text", "GET /health HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    refused("the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    refused("three numbers in the version", "GET /health HTTP/1.1.1\r\nHost: a\r\n\r\n"),
    refused("a version in lower case", "GET /health http/1.1\r\nHost: a\r\n\r\n"),
    refused("a version without a dot", "GET /health HTTP/11\r\nHost: a\r\n\r\n"),
    refused("no version", "GET /health \r\nHost: a\r\n\r\n"),
    refused("a method that is no token", "G@T /health" + rest),
    refused("a method in parentheses", "(GET) /health" + rest),
    refused("NUL in the method", "G\0T /health" + rest),
    refused("no method", "/health HTTP/1.1\r\nHost: a\r\n\r\n"),
    answered("a method in lower case", "get /health" + rest, 405),
    answered("an unknown method", "BREW /health" + rest, 405),
    answered("TRACE", "TRACE /health" + rest, 405),
    refused("CONNECT", "CONNECT push.example.com:443" + rest, 501),
    refused("CONNECT to a path", "CONNECT /health" + rest, 501),
    refused("a request line over its limit", "GET /\(String(repeating: "a", count: 9000))" + rest, 414),
    refused("a request line without an end", String(repeating: "A", count: 9000), 414),
    refused("a bare LF ends the request line", "GET /health HTTP/1.1\nHost: a\r\n\r\n"),
    refused("a bare CR in the request line", "GET /health\rHTTP/1.1\r\nHost: a\r\n\r\n"),
    answered("an empty line before the request", "\r\n" + good, 200),
    refused("two empty lines before the request", "\r\n\r\n" + good),
    refused("a bare LF before the request", "\n" + good),
    HostileRequest("a TLS greeting", [22, 3, 1, 0, 5, 1, 0, 0, 1, 3], [400]),
    refused("an SSH greeting", "SSH-2.0-OpenSSH_9\r\n\r\n"),
    refused("an SMTP greeting", "EHLO example.com\r\n\r\n"),
  ]

  // MARK: Request target (RFC 9112, section 3.2)

  private static let targets: [HostileRequest] = [
    answered("absolute form", get("http://a/health"), 200),
    answered("absolute form of another host", get("https://b:1/health?x=y"), 200),
    refused("absolute form without a host", get("http:///health")),
    refused("absolute form with a user", get("http://user:secret@a/health")),
    refused("another scheme", get("ftp://a/health")),
    refused("authority form without CONNECT", get("a:80")),
    refused("no slash at the start", get("health")),
    refused("an asterisk without OPTIONS", get("*")),
    answered("OPTIONS *", "OPTIONS *" + rest, 404),
    refused("a fragment", get("/health#x")),
    refused("a byte beyond ASCII", get("/é")),
    refused("DEL", get("/health\u{7F}")),
    refused("NUL", get("/health\0")),
    refused("a backslash scheme", get("http:\\\\a\\health")),
  ]

  // MARK: Fields (RFC 9112, section 5)

  private static func with(_ field: String) -> String { get("/health", field + "\r\n") }

  private static let fields: [HostileRequest] = [
    refused("no Host", "GET /health HTTP/1.1\r\n\r\n"),
    refused("two Hosts", with("Host: b")),
    refused("the same Host twice", with("Host: a")),
    refused("a Host with a space", "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n"),
    refused("a Host with a path", "GET /health HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    refused("a Host with a user", "GET /health HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    refused("a Host with a comma", "GET /health HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    refused("a space before the colon", "GET /health HTTP/1.1\r\nHost : a\r\n\r\n"),
    refused("a tab before the colon", with("X\t: y")),
    refused("a folded field", with("X: y\r\n z")),
    refused("a field folded with a tab", with("X: y\r\n\tz")),
    refused("a fold before the first field", "GET /health HTTP/1.1\r\n Host: a\r\n\r\n"),
    refused("a bare LF ends a field", "GET /health HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
    refused("a bare LF ends the head", "GET /health HTTP/1.1\r\nHost: a\r\n\n"),
    refused("a bare CR in a value", with("X: y\rTransfer-Encoding: chunked")),
    refused("NUL in a value", with("X: y\0z")),
    refused("NUL in a name", with("X\0: y")),
    refused("DEL in a value", with("X: \u{7F}")),
    refused("an escape in a value", with("X: \u{1B}[2J")),
    refused("no colon", with("X")),
    refused("no name", with(": y")),
    refused("a space in a name", with("X Y: z")),
    refused("a name that is no token", with("X@Y: z")),
    refused("a name beyond ASCII", with("Ä: z")),
    HostileRequest(
      "obsolete text in a value",
      Array("GET /health HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE9, 13, 10, 13, 10],
      [200], closes: false),
    refused("too many fields", with((0..<101).map { "X-\($0): y" }.joined(separator: "\r\n")), 431),
    refused("a field over the limit", with("X: " + String(repeating: "y", count: 17_000)), 431),
    refused(
      "a field without an end",
      "GET /health HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "y", count: 20_000), 431),
    refused("another expectation", post("Expect: 200-ok\r\nContent-Length: 2\r\n", "{}"), 417),
    HostileRequest(
      "100-continue",
      "POST /clients HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
      [100], closes: false),
  ]

  // MARK: Lengths (RFC 9112, section 6)

  private static let lengths: [HostileRequest] = [
    refused(
      "Content-Length, then Transfer-Encoding",
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
    refused(
      "Transfer-Encoding, then Content-Length",
      post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")),
    refused("two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab")),
    refused("the same length twice", post("Content-Length: 1\r\nContent-Length: 1\r\n", "a")),
    refused("a list of lengths", post("Content-Length: 1, 1\r\n", "a")),
    refused("a length with a plus", post("Content-Length: +1\r\n", "a")),
    refused("a negative length", post("Content-Length: -1\r\n", "a")),
    refused("a hexadecimal length", post("Content-Length: 0x1\r\n", "a")),
    refused("a length with an exponent", post("Content-Length: 1e1\r\n", "a")),
    refused("a length with a space within", post("Content-Length: 1 0\r\n", "a")),
    refused("an empty length", post("Content-Length: \r\n", "a")),
    refused("a length beyond 64 bits", post("Content-Length: 99999999999999999999\r\n"), 413),
    refused("a length over the limit", post("Content-Length: 65537\r\n"), 413),
    refused("another coding", post("Transfer-Encoding: gzip\r\n"), 501),
    refused("a coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501),
    refused("chunked twice in one field", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), 501),
    refused(
      "chunked in two fields",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
    refused(
      "chunked and identity",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n")),
    refused("nearly chunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 501),
    refused("chunked behind a vertical tab", post("Transfer-Encoding: \u{0B}chunked\r\n", "0\r\n\r\n")),
    refused("an empty coding", post("Transfer-Encoding: \r\n", "0\r\n\r\n"), 501),
    refused("chunked in HTTP/1.0", "POST /clients HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    answered("a body with GET", get("/health", "Content-Length: 5\r\n") + "hello", 200),
  ]

  // MARK: Chunks (RFC 9112, section 7.1)

  private static let chunks: [HostileRequest] = [
    answered("chunks with an extension and a trailer", chunked("2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n"), 415),
    refused("a size that is no number", chunked("x\r\n")),
    refused("a negative size", chunked("-1\r\n")),
    refused("a size with 0x", chunked("0x2\r\n{}\r\n0\r\n\r\n")),
    refused("nine digits of size", chunked("000000002\r\n{}\r\n0\r\n\r\n")),
    refused("the largest size", chunked("FFFFFFFF\r\n"), 413),
    refused("a size over the limit", chunked("10001\r\n"), 413),
    refused("an empty size", chunked("\r\n")),
    refused("a space before the size", chunked(" 2\r\n{}\r\n0\r\n\r\n")),
    refused("a space after the size", chunked("2 \r\n{}\r\n0\r\n\r\n")),
    refused("an extension without a semicolon", chunked("2 a\r\n{}\r\n0\r\n\r\n")),
    refused("an extension over the limit", chunked("2;" + String(repeating: "a", count: 300) + "\r\n")),
    refused("a bare LF in an extension", chunked("2;a\n{}\r\n0\r\n\r\n")),
    refused("NUL in an extension", chunked("2;\0\r\n{}\r\n0\r\n\r\n")),
    refused("a bare LF after the size", chunked("2\n{}\r\n0\r\n\r\n")),
    refused("no line end after the data", chunked("2\r\n{}0\r\n\r\n")),
    refused("a bare LF after the data", chunked("2\r\n{}\n0\r\n\r\n")),
    refused("more data than the size", chunked("1\r\n{}\r\n0\r\n\r\n")),
    refused(
      "chunks over the limit together",
      chunked(
        String(repeating: "4000\r\n\(String(repeating: " ", count: 0x4000))\r\n", count: 4) + "1\r\n \r\n"),
      413),
    refused(
      "extensions over the limit together",
      chunked(String(repeating: "1;\(String(repeating: "a", count: 200))\r\n \r\n", count: 25))),
    refused("a trailer without a colon", chunked("0\r\nX\r\n\r\n")),
    refused("a folded trailer", chunked("0\r\nX: y\r\n z\r\n\r\n")),
    refused("too many trailers", chunked("0\r\n" + String(repeating: "X: y\r\n", count: 101) + "\r\n"), 431),
  ]

  // MARK: Several requests, and their ends

  private static let sequences: [HostileRequest] = [
    HostileRequest("two at once", good + good, [200, 200], closes: false),
    HostileRequest("a good one, then a bad one", good + "x y z\r\n\r\n" + good, [200, 400]),
    HostileRequest(
      "what a wrong length would hide", post("Content-Length: 0\r\n") + get("/nothing") + good,
      [415, 404, 200],
      closes: false),
    HostileRequest("nothing after Connection: close", get("/health", "Connection: close\r\n") + good, [200]),
    HostileRequest("HTTP/1.0", "GET /health HTTP/1.0\r\n\r\n" + good, [200]),
    HostileRequest(
      "HTTP/1.0 that stays", "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [200], closes: false),
    HostileRequest("close among other options", get("/health", "Connection: x, CLOSE\r\n") + good, [200]),
    HostileRequest(
      "a length that takes the next request", post("Content-Length: 9\r\n", good) + "\r\n\r\n", [415, 400]),
  ]

  // MARK: Paths

  private static let paths: [HostileRequest] = [
    answered("a query", get("/health?a=b&c=%00"), 200),
    answered("a dot segment", get("/./health"), 404),
    answered("a step up", get("/x/../health"), 404),
    answered("an encoded letter", get("/%68ealth"), 404),
    answered("two slashes", get("//health"), 404),
    answered("a slash at the end", get("/health/"), 404),
    answered("an encoded slash", get("/%2Fhealth"), 404),
    answered("steps out of the root", get("/../../etc/passwd"), 404),
    answered("encoded steps out of the root", get("/%2e%2e/%2e%2e/etc/passwd"), 404),
    answered("steps behind a page", get("/index.html/..%2f..%2fetc/passwd"), 404),
    answered("backslashes", get("/..\\..\\etc\\passwd"), 404),
    answered("an encoded line end", get("/health%0d%0aX:y"), 404),
    answered("dots as a client", "DELETE /clients/.." + rest, 404),
    answered("encoded dots as a client", "DELETE /clients/%2e%2E" + rest, 404),
    answered("a dot as a client", "DELETE /abc/clients/%2e" + rest, 404),
    answered("no hexadecimal digits", "DELETE /clients/%zz" + rest, 400),
    answered("a lone percent sign", "DELETE /clients/%" + rest, 400),
    answered("an overlong encoding", "DELETE /clients/%c0%ae" + rest, 400),
    answered("bytes that are no UTF-8", "DELETE /clients/%ff" + rest, 400),
    answered("NUL in a client ID", "DELETE /clients/a%00b" + rest, 400),
    answered(
      "a client ID over the limit", "DELETE /clients/\(String(repeating: "a", count: 256))" + rest, 400),
    answered("segments after a client", "DELETE /clients/a/b" + rest, 404),
  ]
}
