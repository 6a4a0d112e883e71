import Bytes
import Glibc

/// Why an exchange with a server failed.
public struct BlockingHTTPError: Error, CustomStringConvertible, Sendable {
  public let description: String
}

/// A whole response.
public struct BlockingHTTPResponse: Sendable {
  public var status: Int
  /// Names in lower case, in order.
  public var fields: [(name: String, value: String)]
  public var body: [UInt8]

  /// The first value of a field, by its lower-case name.
  public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  public var text: String { String(decoding: body, as: UTF8.self) }
}

/// One keep-alive HTTP/1.1 connection with blocking calls, for the demo and for tests: a second
/// implementation of the protocol, so that a fault of the server's own code does not cancel out.
///
/// Not for servers on the internet: it trusts the peer's framing and speaks no TLS.
public final class BlockingHTTPClient {
  private let host: String
  private let port: UInt16
  private let timeoutSeconds: Int
  private var socket: Int32 = -1
  private var input: [UInt8] = []

  /// Connects with the first request.
  ///
  /// - Parameter timeoutSeconds: bounds each wait for the server.
  public init(host: String = "127.0.0.1", port: UInt16, timeoutSeconds: Int = 35) {
    self.host = host
    self.port = port
    self.timeoutSeconds = timeoutSeconds
  }

  deinit {
    disconnect()
  }

  /// Closes the connection; the next request opens another.
  public func disconnect() {
    if socket >= 0 { close(socket) }
    socket = -1
    input = []
  }

  /// Sends a request and waits for its response. `content-length` and `host` are added.
  public func send(
    _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []
  ) throws(BlockingHTTPError) -> BlockingHTTPResponse {
    try begin(method, target, fields: fields, body: body)
    return try read(method)
  }

  /// Sends a request and does not wait for its response.
  public func begin(
    _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []
  ) throws(BlockingHTTPError) {
    var request = "\(method) \(target) HTTP/1.1\r\nhost: \(host):\(port)\r\ncontent-length: \(body.count)\r\n"
    for field in fields { request += "\(field.name): \(field.value)\r\n" }
    try write(Array((request + "\r\n").utf8) + body)
  }

  /// Sends bytes as they are, for requests that no sane client makes.
  public func write(_ bytes: [UInt8]) throws(BlockingHTTPError) {
    if socket < 0 { try connect() }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("send") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads one response, skipping interim ones.
  public func read(_ method: String = "GET") throws(BlockingHTTPError) -> BlockingHTTPResponse {
    while true {
      let head = try nextHead()
      guard head.status >= 200 else { continue }
      var response = head
      let length = response.field("content-length").flatMap { Int($0) } ?? 0
      if response.field("transfer-encoding") == "chunked", method != "HEAD" {
        while let chunk = try readChunk() { response.body += chunk }
      } else if method != "HEAD", response.status != 204, response.status != 304 {
        while input.count < length { try fill() }
        response.body = Array(input.prefix(length))
        input.removeFirst(length)
      }
      if response.field("connection") == "close" { disconnect() }
      return response
    }
  }

  /// Reads the head of one response, whose body is then read with `readChunk`.
  public func readHead() throws(BlockingHTTPError) -> BlockingHTTPResponse { try nextHead() }

  /// The next chunk of a chunked body; nil at its end.
  public func readChunk() throws(BlockingHTTPError) -> [UInt8]? {
    let lineEnd = Array("\r\n".utf8)
    var end = Self.find(lineEnd, in: input, from: 0)
    while end == nil {
      try fill()
      end = Self.find(lineEnd, in: input, from: 0)
    }
    guard let end, let count = Int(String(decoding: input[..<end], as: UTF8.self), radix: 16) else {
      throw BlockingHTTPError(description: "no chunk size")
    }
    let start = end + lineEnd.count
    while input.count < start + count + lineEnd.count { try fill() }
    let chunk = Array(input[start..<(start + count)])
    input.removeFirst(start + count + lineEnd.count)
    return count == 0 ? nil : chunk
  }

  private func nextHead() throws(BlockingHTTPError) -> BlockingHTTPResponse {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let end = Self.find(blank, in: input, from: max(0, searched - blank.count)) {
        let head = String(decoding: input[..<end], as: UTF8.self)
        input.removeFirst(end + blank.count)
        return try Self.parse(head)
      }
      searched = input.count
      try fill()
    }
  }

  private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + pattern.count else { return nil }
    return (start...(bytes.count - pattern.count)).first { index in
      bytes[index..<(index + pattern.count)].elementsEqual(pattern)
    }
  }

  private static func parse(_ head: String) throws(BlockingHTTPError) -> BlockingHTTPResponse {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let parts = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
      throw BlockingHTTPError(description: "no HTTP/1.1 status line: \(lines.first ?? "")")
    }
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw BlockingHTTPError(description: "no header field: \(line)") }
      fields.append((pair[0].lowercased(), String(pair[1].drop { $0 == " " })))
    }
    return BlockingHTTPResponse(status: status, fields: fields, body: [])
  }

  private func fill() throws(BlockingHTTPError) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var count: Int
    repeat { count = recv(socket, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
    guard count != 0 else {
      disconnect()
      throw BlockingHTTPError(description: "the server closed the connection")
    }
    guard count > 0 else { throw failure("receive") }
    input.append(contentsOf: buffer[..<count])
  }

  private func connect() throws(BlockingHTTPError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee else {
      throw BlockingHTTPError(description: "\(host) has no address")
    }
    defer { freeaddrinfo(list) }
    socket = Glibc.socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard socket >= 0, Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 else {
      throw failure("connect")
    }
  }

  private func failure(_ call: String) -> BlockingHTTPError {
    let error = BlockingHTTPError(
      description: "\(call) \(host):\(port): \(String(cString: strerror(errno)))")
    disconnect()
    return error
  }
}
