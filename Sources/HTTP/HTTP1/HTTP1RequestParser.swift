import Bytes

/// A request as HTTP/1 delivers it.
public struct HTTP1Request: Sendable {
  public var request: HTTPRequest
  /// Whether the peer lets the connection stay open after the answer.
  public var isPersistent: Bool
  public var isHTTP10: Bool
}

/// Takes requests out of a stream of bytes (RFC 9112), strictly: whatever two servers could read
/// differently is refused.
///
/// No I/O. Each byte is looked at a bounded number of times, however small the pieces are.
public struct HTTP1RequestParser: Sendable {
  public enum Event: Sendable {
    /// All that was there has been taken; come back with more.
    case needsMore
    /// The peer waits for `100 Continue` before it sends the body.
    case expectsContinue
    case request(HTTP1Request)
  }

  private enum State: Sendable {
    case requestLine
    case fields
    case body(remaining: Int)
    case chunkSize
    case chunkData(remaining: Int)
    case chunkEnd
    case trailers
    case failed(HTTP1Error)
  }

  /// The longest chunk-size line, extensions included.
  private static let chunkLineLimit = 256
  /// All chunk extensions of one body together; they carry nothing for us.
  private static let chunkExtensionLimit = 4096

  private let limits: HTTPLimits
  private let scheme: String
  private var state = State.requestLine
  private var head: HTTP1RequestHead?
  private var body: [UInt8] = []
  /// How far the line at the front of the input has been searched for its end.
  private(set) var searched = 0
  private var fieldBytes = 0
  private var fieldCount = 0
  private var extensionBytes = 0
  private var skippedEmptyLine = false

  /// `scheme` becomes the scheme of each request: `https` behind TLS, else `http`.
  public init(limits: HTTPLimits = HTTPLimits(), scheme: String = "http") {
    self.limits = limits
    self.scheme = scheme
  }

  /// True while the head of a request has not been read to its end.
  public var isReadingHead: Bool {
    switch state {
    case .requestLine, .fields: true
    default: false
    }
  }

  /// True between two requests, as far as the bytes taken so far tell.
  public var isBetweenRequests: Bool {
    if case .requestLine = state { searched == 0 } else { false }
  }

  /// Takes from the front of `input` up to the next event. After an error each call throws it again.
  public mutating func next(_ input: inout ByteBuffer) throws(HTTP1Error) -> Event {
    if case .failed(let error) = state {
      throw error
    }
    do {
      return try advance(&input)
    } catch {
      state = .failed(error)
      head = nil
      body = []
      throw error
    }
  }

  private mutating func advance(_ input: inout ByteBuffer) throws(HTTP1Error) -> Event {
    let wasReadingHead = isReadingHead
    let (taken, isComplete) = try input.withBytes { bytes throws(HTTP1Error) in
      var position = 0
      let isComplete = try take(bytes, from: &position)
      return (position, isComplete)
    }
    input.consume(taken)
    if isComplete, let head {
      let request = finish(head)
      return .request(request)
    }
    // A peer that has begun to send the body waits for nothing.
    if wasReadingHead, !isReadingHead, input.isEmpty, let head, head.expectsContinue, body.isEmpty {
      return .expectsContinue
    }
    return .needsMore
  }

  /// Moves `position` over what could be used; true when a request is complete.
  private mutating func take(_ bytes: Span<UInt8>, from position: inout Int) throws(HTTP1Error) -> Bool {
    while true {
      switch state {
      case .requestLine:
        try checkFirstByte(bytes, at: position)
        guard let line = try nextLine(bytes, &position, limit: limits.requestLine, .requestLineTooLong)
        else { return false }
        try takeRequestLine(bytes.extracting(line))
      case .fields:
        guard let line = try nextFieldLine(bytes, &position) else { return false }
        if !line.isEmpty {
          try head?.addField(bytes.extracting(line))
        } else if try takeEndOfHead() {
          return true
        }
      case .body(let remaining):
        let rest = takeBody(bytes, &position, upTo: remaining)
        guard rest == 0 else {
          state = .body(remaining: rest)
          return false
        }
        return true
      case .chunkSize:
        guard let line = try nextLine(bytes, &position, limit: Self.chunkLineLimit, .malformedChunk) else {
          return false
        }
        try takeChunkSize(bytes.extracting(line))
      case .chunkData(let remaining):
        let rest = takeBody(bytes, &position, upTo: remaining)
        guard rest == 0 else {
          state = .chunkData(remaining: rest)
          return false
        }
        state = .chunkEnd
      case .chunkEnd:
        guard let line = try nextLine(bytes, &position, limit: 0, .malformedChunk) else { return false }
        guard line.isEmpty else { throw .malformedChunk }
        state = .chunkSize
      case .trailers:
        guard let line = try nextFieldLine(bytes, &position) else { return false }
        if line.isEmpty {
          return true
        }
        // Trailers are checked like fields and dropped: nothing here may depend on them.
        _ = try HTTP1RequestHead.split(bytes.extracting(line))
      case .failed(let error):
        throw error
      }
    }
  }

  private mutating func finish(_ head: HTTP1RequestHead) -> HTTP1Request {
    var request = HTTP1Request(
      request: head.request, isPersistent: head.isPersistent, isHTTP10: head.isHTTP10)
    request.request.body = body
    self.head = nil
    body = []
    state = .requestLine
    fieldBytes = 0
    fieldCount = 0
    extensionBytes = 0
    skippedEmptyLine = false
    return request
  }
}

// MARK: Lines

extension HTTP1RequestParser {
  /// The range of the next line without its CR LF, or nil when its end has not come. A line longer
  /// than `limit` throws `tooLong`, whether its end has come or not.
  private mutating func nextLine(
    _ bytes: Span<UInt8>, _ position: inout Int, limit: Int, _ tooLong: HTTP1Error
  ) throws(HTTP1Error) -> Range<Int>? {
    let start = position
    guard let lineFeed = bytes.firstIndexOfLineFeed(from: start + searched) else {
      searched = bytes.count - start
      // One more for a CR whose LF is still to come.
      guard searched <= limit + 1 else { throw tooLong }
      return nil
    }
    guard lineFeed - start <= limit + 1 else { throw tooLong }
    guard lineFeed > start, bytes[lineFeed - 1] == 0x0D else { throw .bareLineFeed }
    searched = 0
    position = lineFeed + 1
    return start..<(lineFeed - 1)
  }

  private mutating func nextFieldLine(
    _ bytes: Span<UInt8>, _ position: inout Int
  ) throws(HTTP1Error) -> Range<Int>? {
    let limit = limits.fieldBytes - fieldBytes
    guard let line = try nextLine(bytes, &position, limit: limit, .fieldsTooLarge) else { return nil }
    guard !line.isEmpty else { return line }
    fieldBytes += line.count + 2
    fieldCount += 1
    guard fieldCount <= limits.fieldCount, fieldBytes <= limits.fieldBytes else { throw .fieldsTooLarge }
    return line
  }

  /// Refuses at once what can not become a request, such as a TLS greeting on a plain port.
  private func checkFirstByte(_ bytes: Span<UInt8>, at position: Int) throws(HTTP1Error) {
    guard position < bytes.count else { return }
    guard HTTPCharacters.isToken(bytes[position]) || (bytes[position] == 0x0D && !skippedEmptyLine) else {
      throw .malformedRequestLine
    }
  }

  private mutating func takeRequestLine(_ line: Span<UInt8>) throws(HTTP1Error) {
    if line.isEmpty {
      // RFC 9112, section 2.2: an empty line before a request is to be ignored. One is enough.
      guard !skippedEmptyLine else { throw .malformedRequestLine }
      skippedEmptyLine = true
      return
    }
    head = HTTP1RequestHead(try HTTP1RequestLine(line), scheme: scheme)
    state = .fields
  }
}

// MARK: Body

extension HTTP1RequestParser {
  /// True when the request has no body and is complete.
  private mutating func takeEndOfHead() throws(HTTP1Error) -> Bool {
    switch try head?.framing(bodyLimit: limits.body) {
    case .chunked:
      state = .chunkSize
    case .length(let length) where length > 0:
      // A peer that announces much and sends little shall not cost memory.
      body.reserveCapacity(min(length, 65_536))
      state = .body(remaining: length)
    case .length, nil:
      return true
    }
    fieldBytes = 0
    fieldCount = 0
    return false
  }

  /// Takes up to `count` bytes into the body; returns how many are still missing.
  private mutating func takeBody(_ bytes: Span<UInt8>, _ position: inout Int, upTo count: Int) -> Int {
    let available = min(count, bytes.count - position)
    bytes.extracting(position..<(position + available)).withUnsafeBufferPointer {
      body.append(contentsOf: $0)
    }
    position += available
    return count - available
  }

  /// `chunk-size [ chunk-ext ]` (RFC 9112, section 7.1): up to eight hexadecimal digits, then nothing
  /// or extensions, which are ignored.
  private mutating func takeChunkSize(_ line: Span<UInt8>) throws(HTTP1Error) {
    var size = 0
    var digits = 0
    while digits < line.count, let digit = line[digits].hexadecimalValue {
      guard digits < 8 else { throw .malformedChunk }
      size = size << 4 | digit
      digits += 1
    }
    guard digits > 0 else { throw .malformedChunk }
    if digits < line.count {
      try checkExtension(line.extracting(digits..<line.count))
    }
    guard size <= limits.body - body.count else { throw .bodyTooLarge }
    state = size == 0 ? .trailers : .chunkData(remaining: size)
  }

  private mutating func checkExtension(_ text: Span<UInt8>) throws(HTTP1Error) {
    extensionBytes += text.count
    let trimmed = text.extracting(text.trimmedRange())
    guard trimmed.count > 0, trimmed[0] == 0x3B, extensionBytes <= Self.chunkExtensionLimit else {
      throw .malformedChunk
    }
    for index in text.indices where !HTTPCharacters.isFieldValue(text[index]) {
      throw .malformedChunk
    }
  }
}
