import Testing

@testable import HTTP

@Suite struct HTTP1ResponseWriterTests {
  private func write(
    _ response: HTTPResponse, _ framing: HTTP1ResponseWriter.Framing = .init()
  ) -> String {
    var out: [UInt8] = []
    HTTP1ResponseWriter.append(response, framing, date: Array("D".utf8), to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  @Test func lengthDateAndFieldsAreWritten() {
    var response = HTTPResponse.json(200, Array("{}".utf8))
    response.fields.add("X-A", "1")
    #expect(
      write(response)
        == "HTTP/1.1 200 OK\r\ndate: D\r\ncontent-length: 2\r\ncontent-type: application/json\r\nx-a: 1\r\n\r\n{}"
    )
    #expect(
      write(.empty(404), .init(closes: true))
        == "HTTP/1.1 404 Not Found\r\ndate: D\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    #expect(
      write(.empty(200), .init(isHTTP10: true))
        == "HTTP/1.1 200 OK\r\ndate: D\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n")
  }

  @Test func bodiesAreLeftOutWhereTheyMustBe() {
    let response = HTTPResponse(status: 200, body: Array("abc".utf8))
    #expect(
      write(response, .init(isHead: true)) == "HTTP/1.1 200 OK\r\ndate: D\r\ncontent-length: 3\r\n\r\n")
    #expect(
      write(HTTPResponse(status: 204, body: [1])) == "HTTP/1.1 204 No Content\r\ndate: D\r\n\r\n")
    #expect(
      write(HTTPResponse(status: 304, body: [1])) == "HTTP/1.1 304 Not Modified\r\ndate: D\r\n\r\n")
  }

  @Test func nothingCanBeInjectedAndFramingIsOurs() {
    var response = HTTPResponse.empty(200)
    response.fields.add("X-A", "1\r\nSet-Cookie: a=b")
    response.fields.add("X-B\r\nX-C", "1")
    response.fields.add("Content-Length", "99")
    response.fields.add("Transfer-Encoding", "chunked")
    response.fields.add("Connection", "close")
    response.fields.add("Date", "x")
    #expect(write(response) == "HTTP/1.1 200 OK\r\ndate: D\r\ncontent-length: 0\r\n\r\n")
  }

  @Test(arguments: [-1, 0, 99, 101, 199, 600, 1000])
  func impossibleStatusBecomes500(_ status: Int) {
    #expect(write(.empty(status)).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
  }

  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
  ])
  func datesFollowTheCalendar(_ seconds: Int, _ expected: String) {
    #expect(String(decoding: HTTPDate.format(secondsSinceEpoch: seconds), as: UTF8.self) == expected)
  }

  @Test func theDateIsOfNow() {
    #expect(HTTPDate().current.count == 29)
  }
}
