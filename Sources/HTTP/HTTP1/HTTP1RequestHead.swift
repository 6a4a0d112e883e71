/// The request line and the fields seen so far, with what the fields say about framing and persistence.
struct HTTP1RequestHead {
  enum Framing: Equatable {
    case length(Int)
    case chunked
  }

  private(set) var request: HTTPRequest
  private(set) var isHTTP10: Bool
  private(set) var expectsContinue = false
  private var hasAbsoluteTarget: Bool
  private var hostCount = 0
  private var contentLength: UInt64?
  private var isChunked = false
  private var saysClose = false
  private var saysKeepAlive = false

  init(_ line: HTTP1RequestLine, scheme: String) {
    request = HTTPRequest(
      method: line.method, path: line.path, query: line.query, authority: line.authority, scheme: scheme)
    request.fields.reserveCapacity(12)
    isHTTP10 = line.isHTTP10
    hasAbsoluteTarget = line.authority != nil
  }

  /// Whether the connection stays open after the answer (RFC 9112, section 9.3).
  var isPersistent: Bool { !saysClose && (!isHTTP10 || saysKeepAlive) }

  /// Takes one field line without its CR LF (RFC 9112, section 5).
  mutating func addField(_ line: Span<UInt8>) throws(HTTP1Error) {
    let (nameEnd, valueRange) = try Self.split(line)
    let value = line.extracting(valueRange)
    let name = String(loweringASCII: line.extracting(0..<nameEnd))
    // Lengths first: comparing strings costs more than the rest of this function.
    switch nameEnd {
    case 4 where name == "host": try takeHost(value)
    case 6 where name == "expect": try takeExpect(value)
    case 10 where name == "connection": takeConnection(value)
    case 14 where name == "content-length": try takeContentLength(value)
    case 17 where name == "transfer-encoding": try takeTransferEncoding(value)
    default: break
    }
    request.fields.add(HTTPField(lowerCaseName: name, value: String(bytes: value)))
  }

  /// Checks what only the whole head tells, and says how the body is framed (RFC 9112, section 6.3).
  func framing(bodyLimit: Int) throws(HTTP1Error) -> Framing {
    guard hostCount == 1 || (hostCount == 0 && isHTTP10) else { throw .invalidHost }
    if isChunked {
      // RFC 9112, section 6.1: in HTTP/1.0 the framing is faulty; with Content-Length it is an attack.
      guard contentLength == nil, !isHTTP10 else { throw .conflictingFraming }
      return .chunked
    }
    guard let contentLength else { return .length(0) }
    guard contentLength <= UInt64(bodyLimit) else { throw .bodyTooLarge }
    return .length(Int(contentLength))
  }

  /// Where the name ends and where the value is. Nothing may stand between the name and the colon
  /// (RFC 9112, section 5.1).
  static func split(_ line: Span<UInt8>) throws(HTTP1Error) -> (nameEnd: Int, value: Range<Int>) {
    guard line[0] != 0x20, line[0] != 0x09 else { throw .obsoleteLineFolding }
    var nameEnd = 0
    while nameEnd < line.count, HTTPCharacters.isToken(line[nameEnd]) {
      nameEnd += 1
    }
    guard nameEnd > 0, nameEnd < line.count, line[nameEnd] == 0x3A else { throw .malformedField }
    for index in (nameEnd + 1)..<line.count where !HTTPCharacters.isFieldValue(line[index]) {
      throw .malformedField
    }
    let rest = line.extracting((nameEnd + 1)..<line.count).trimmedRange()
    return (nameEnd, (rest.lowerBound + nameEnd + 1)..<(rest.upperBound + nameEnd + 1))
  }

  private mutating func takeHost(_ value: Span<UInt8>) throws(HTTP1Error) {
    hostCount += 1
    guard hostCount == 1, HTTPAuthority.isValid(value) else { throw .invalidHost }
    // RFC 9112, section 3.2.2: an absolute-form target overrides Host.
    if !hasAbsoluteTarget {
      request.authority = String(bytes: value)
    }
  }

  private mutating func takeExpect(_ value: Span<UInt8>) throws(HTTP1Error) {
    guard value.equalsIgnoringCase("100-continue") else { throw .unsupportedExpectation }
    // RFC 9110, section 10.1.1: HTTP/1.0 knows no 100.
    expectsContinue = !isHTTP10
  }

  private mutating func takeConnection(_ value: Span<UInt8>) {
    var close = false
    var keepAlive = false
    value.forEachListMember { member in
      close = close || member.equalsIgnoringCase("close")
      keepAlive = keepAlive || member.equalsIgnoringCase("keep-alive")
    }
    saysClose = saysClose || close
    saysKeepAlive = saysKeepAlive || keepAlive
  }

  private mutating func takeContentLength(_ value: Span<UInt8>) throws(HTTP1Error) {
    guard contentLength == nil, value.count > 0 else { throw .invalidContentLength }
    var length: UInt64 = 0
    for index in value.indices {
      guard value[index] >= 0x30, value[index] <= 0x39 else { throw .invalidContentLength }
      // Saturates far above any limit instead of overflowing.
      length = min(length, UInt64(Int64.max) / 16) * 10 + UInt64(value[index] - 0x30)
    }
    contentLength = length
  }

  private mutating func takeTransferEncoding(_ value: Span<UInt8>) throws(HTTP1Error) {
    guard !isChunked else { throw .conflictingFraming }
    guard value.equalsIgnoringCase("chunked") else { throw .unsupportedTransferCoding }
    isChunked = true
  }
}
