import Bytes

/// Writes responses in HTTP/1.1 framing (RFC 9112, section 4): with `content-length` where a body may be, but
/// for a body that is streamed, which is chunked.
enum HTTP1ResponseWriter {
  /// What the interim answer to `Expect: 100-continue` looks like.
  static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// How a response is framed, which depends on the request and on what becomes of the connection.
  struct Framing {
    /// The request was HEAD: the body is counted and not sent.
    var isHead = false
    /// The request was HTTP/1.0, where staying open has to be said.
    var isHTTP10 = false
    var closes = false
    /// The body follows: in chunks, or to an HTTP/1.0 client up to the connection's end.
    var isStreamed = false
  }

  /// The chunk that ends a body (RFC 9112, section 7.1).
  static let lastChunk = Array("0\r\n\r\n".utf8)

  /// `bytes` as a chunk; they must not be empty.
  static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 20)
    out.append(contentsOf: String(bytes.count, radix: 16).utf8)
    append("\r\n", to: &out)
    out.append(contentsOf: bytes)
    append("\r\n", to: &out)
    return out
  }

  /// Appends `response`. Fields that belong to the framing are made here and dropped from the
  /// response; so is a field that holds CR, LF or another control character.
  static func append(
    _ response: HTTPResponse, _ framing: Framing, date: [UInt8], to out: inout [UInt8]
  ) {
    let status = (200...599).contains(response.status) ? response.status : 500
    let hasNoBody = HTTPStatus.hasNoBody(status)
    let sendsBody = !hasNoBody && !framing.isHead && !framing.isStreamed
    out.reserveCapacity(out.count + 256 + (sendsBody ? response.body.count : 0))
    append("HTTP/1.1 ", to: &out)
    ASCIIDecimal.append(UInt64(status), to: &out)
    out.append(0x20)
    out.append(contentsOf: HTTPStatus.reason(status).utf8)
    append("\r\ndate: ", to: &out)
    out.append(contentsOf: date)
    // RFC 9110, section 8.6: not with 204; with 304 it would speak of a body that is not known here.
    if framing.isStreamed {
      if !framing.isHTTP10 { append("\r\ntransfer-encoding: chunked", to: &out) }
    } else if !hasNoBody {
      append("\r\ncontent-length: ", to: &out)
      ASCIIDecimal.append(UInt64(response.body.count), to: &out)
    }
    if framing.closes {
      append("\r\nconnection: close", to: &out)
    } else if framing.isHTTP10 {
      append("\r\nconnection: keep-alive", to: &out)
    }
    for field in response.fields where !isFramingField(field.name) && HTTPCharacters.isSendable(field) {
      append("\r\n", to: &out)
      out.append(contentsOf: field.name.utf8)
      append(": ", to: &out)
      out.append(contentsOf: field.value.utf8)
    }
    append("\r\n\r\n", to: &out)
    if sendsBody {
      out.append(contentsOf: response.body)
    }
  }

  private static func isFramingField(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: name == "date"
    case 7: name == "trailer" || name == "upgrade"
    case 10: name == "connection" || name == "keep-alive"
    case 14: name == "content-length"
    case 17: name == "transfer-encoding"
    default: false
    }
  }

  private static func append(_ text: StaticString, to out: inout [UInt8]) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }
}
