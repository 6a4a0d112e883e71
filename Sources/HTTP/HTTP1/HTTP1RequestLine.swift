/// The parts of a request line (RFC 9112, section 3).
struct HTTP1RequestLine {
  var method = ""
  var path = ""
  var query: String?
  /// The authority of an absolute-form target.
  var authority: String?
  var isHTTP10 = false

  /// Parses a line without its CR LF. Single spaces only: the lenient splitting that RFC 9112 allows
  /// is what request smuggling feeds on.
  init(_ line: Span<UInt8>) throws(HTTP1Error) {
    var methodEnd = 0
    while methodEnd < line.count, HTTPCharacters.isToken(line[methodEnd]) {
      methodEnd += 1
    }
    guard methodEnd > 0, methodEnd < line.count, line[methodEnd] == 0x20 else {
      throw .malformedRequestLine
    }
    let targetStart = methodEnd + 1
    var targetEnd = targetStart
    while targetEnd < line.count, line[targetEnd] != 0x20 {
      targetEnd += 1
    }
    guard targetEnd > targetStart, targetEnd < line.count else { throw .malformedRequestLine }
    isHTTP10 = try Self.isHTTP10(line.extracting((targetEnd + 1)..<line.count))
    method = String(bytes: line.extracting(0..<methodEnd))
    guard method != "CONNECT" else { throw .methodNotImplemented }
    try parseTarget(line.extracting(targetStart..<targetEnd))
  }

  private static func isHTTP10(_ version: Span<UInt8>) throws(HTTP1Error) -> Bool {
    guard version.count == 8, version.starts(with: "HTTP/"), version[6] == 0x2E,
      isDigit(version[5]), isDigit(version[7])
    else { throw .malformedRequestLine }
    guard version[5] == 0x31, version[7] <= 0x31 else { throw .versionNotSupported }
    return version[7] == 0x30
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// Origin-form, absolute-form, or `*` for OPTIONS (RFC 9112, section 3.2).
  private mutating func parseTarget(_ target: Span<UInt8>) throws(HTTP1Error) {
    for index in target.indices where !Self.isTargetByte(target[index]) {
      throw .invalidTarget
    }
    if target[0] == 0x2F {
      setPathAndQuery(target)
      return
    }
    if target.count == 1, target[0] == 0x2A {
      guard method == "OPTIONS" else { throw .invalidTarget }
      path = "*"
      return
    }
    let schemeLength =
      target.startsIgnoringCase(with: "http://") ? 7 : target.startsIgnoringCase(with: "https://") ? 8 : 0
    guard schemeLength > 0 else { throw .invalidTarget }
    var end = schemeLength
    while end < target.count, target[end] != 0x2F, target[end] != 0x3F {
      end += 1
    }
    let host = target.extracting(schemeLength..<end)
    guard HTTPAuthority.isValid(host) else { throw .invalidTarget }
    authority = String(bytes: host)
    if end == target.count {
      // RFC 9112, section 3.2.4: without a path, OPTIONS means the server as a whole.
      path = method == "OPTIONS" ? "*" : "/"
    } else {
      setPathAndQuery(target.extracting(end..<target.count))
      if path.isEmpty {
        path = "/"
      }
    }
  }

  /// Visible ASCII; a fragment never belongs into a request target.
  private static func isTargetByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x23
  }

  private mutating func setPathAndQuery(_ target: Span<UInt8>) {
    var end = 0
    while end < target.count, target[end] != 0x3F {
      end += 1
    }
    path = String(bytes: target.extracting(0..<end))
    if end < target.count {
      query = String(bytes: target.extracting((end + 1)..<target.count))
    }
  }
}
