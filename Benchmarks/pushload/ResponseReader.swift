import Bytes

/// What the driver needs of a response.
struct Response {
  var status: Int
  /// The server closes after it.
  var closes: Bool
}

/// Bytes that are no response as this driver's requests must get them.
struct ResponseError: Error, CustomStringConvertible {
  let description: String
}

/// Reads HTTP/1.1 responses to POST from a byte stream, strictly (RFC 9112): `content-length` framing only,
/// which is all that the servers under test send.
struct ResponseReader {
  private static let headLimit = 16_384
  private static let statusPrefix = Array("HTTP/1.1 ".utf8)
  private static let contentLength = Array("content-length".utf8)
  private static let connection = Array("connection".utf8)
  private static let transferEncoding = Array("transfer-encoding".utf8)

  private struct Head {
    var response: Response
    /// Bytes of head and body.
    var length: Int
  }

  private var input = ByteBuffer()
  private var head: Head?

  mutating func append(_ bytes: Span<UInt8>) {
    input.append(bytes)
  }

  /// The next whole response; nil when more bytes are needed.
  mutating func next() throws(ResponseError) -> Response? {
    if head == nil {
      head = try input.withBytes { (bytes) throws(ResponseError) in try Self.readHead(bytes) }
    }
    guard let head, input.count >= head.length else { return nil }
    input.consume(head.length)
    self.head = nil
    return head.response
  }

  private static func readHead(_ bytes: Span<UInt8>) throws(ResponseError) -> Head? {
    var lineStart = 0
    var response: Response?
    var bodyLength: Int?
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\n") else {
        index += 1
        continue
      }
      guard index > lineStart, bytes[index - 1] == UInt8(ascii: "\r") else {
        throw ResponseError(description: "a line of the head does not end in CR LF")
      }
      let line = bytes.extracting(lineStart..<(index - 1))
      index += 1
      lineStart = index
      if response == nil {
        response = Response(status: try readStatus(line), closes: false)
      } else if line.count > 0 {
        try readField(line, &response, &bodyLength)
      } else {
        guard let response else { return nil }
        guard let bodyLength else { throw ResponseError(description: "a response has no content-length") }
        return Head(response: response, length: index + bodyLength)
      }
    }
    guard bytes.count <= headLimit else {
      throw ResponseError(description: "the head is longer than \(headLimit) bytes")
    }
    return nil
  }

  private static func readStatus(_ line: Span<UInt8>) throws(ResponseError) -> Int {
    guard line.count >= 12, hasPrefix(line, statusPrefix), line.count == 12 || line[12] == 0x20,
      let status = decimal(line.extracting(9..<12)), (200...599).contains(status), status != 204,
      status != 304
    else { throw ResponseError(description: "no status line of a final response with a body") }
    return status
  }

  private static func readField(
    _ line: Span<UInt8>, _ response: inout Response?, _ bodyLength: inout Int?
  ) throws(ResponseError) {
    var colon = 0
    while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon > 0, colon < line.count else { throw ResponseError(description: "a field without a name") }
    let name = line.extracting(0..<colon)
    var start = colon + 1
    while start < line.count, line[start] == 0x20 { start += 1 }
    let value = line.extracting(start..<line.count)
    if equals(name, contentLength) {
      guard bodyLength == nil, let length = decimal(value) else {
        throw ResponseError(description: "content-length is no number or stands twice")
      }
      bodyLength = length
    } else if equals(name, connection) {
      response?.closes = value.count == 5 && (value[0] | 0x20) == UInt8(ascii: "c")
    } else if equals(name, transferEncoding) {
      throw ResponseError(description: "a response with transfer-encoding")
    }
  }

  private static func decimal(_ text: Span<UInt8>) -> Int? {
    guard (1...9).contains(text.count) else { return nil }
    var value = 0
    for index in text.indices {
      guard (0x30...0x39).contains(text[index]) else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
    }
    return value
  }

  private static func hasPrefix(_ text: Span<UInt8>, _ prefix: [UInt8]) -> Bool {
    for index in prefix.indices where text[index] != prefix[index] { return false }
    return true
  }

  /// Compares a field name, in any case, with one in lower case.
  private static func equals(_ text: Span<UInt8>, _ name: [UInt8]) -> Bool {
    guard text.count == name.count else { return false }
    for index in name.indices where text[index] != name[index] && text[index] | 0x20 != name[index] {
      return false
    }
    return true
  }
}
