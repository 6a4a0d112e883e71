import Glibc

/// A TCP connection over loopback with blocking calls that sends what it is told, byte for byte.
public final class RawConnection {
  private let fd: Int32
  private let timeoutSeconds: Int
  private var input: [UInt8] = []

  /// - Parameters:
  ///   - source: an address of 127.0.0.0/8 to call from; the server takes each for another caller.
  ///   - receiveBuffer: bytes that the kernel may hold for us; nil for its default.
  ///   - timeoutSeconds: bounds each wait.
  public init(
    port: UInt16, source: String? = nil, receiveBuffer: Int32? = nil, timeoutSeconds: Int = 20
  ) throws {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.fd = fd
    self.timeoutSeconds = timeoutSeconds
    guard fd >= 0 else { throw Self.failure("socket") }
    var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBuffer {
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    if let source {
      let isBound = Self.withAddress(source, 0) { bind(fd, $0, $1) == 0 }
      guard isBound else { throw Self.failure("bind \(source)") }
    }
    let isConnected = Self.withAddress("127.0.0.1", port) { connect(fd, $0, $1) == 0 }
    guard isConnected else { throw Self.failure("connect") }
  }

  deinit { if fd >= 0 { close(fd) } }

  private static func failure(_ call: String) -> TestSupportError {
    TestSupportError("\(call): \(String(cString: strerror(errno)))")
  }

  private static func withAddress<Result>(
    _ ip: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, ip, &address.sin_addr)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// False when the peer takes no more.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Ends our side; the peer may go on.
  public func endInput() { shutdown(fd, Int32(SHUT_WR)) }

  /// Reads on; false at the end. Throws when neither bytes nor the end came in time: who waits for an end must not
  /// take silence for one.
  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16_384)
    var count: Int
    repeat { count = recv(fd, &chunk, chunk.count, 0) } while count < 0 && errno == EINTR
    if count < 0, errno == EAGAIN {
      throw TestSupportError("neither bytes nor the connection's end came within \(timeoutSeconds) s")
    }
    guard count > 0 else { return false }
    input += chunk[..<count]
    return true
  }

  /// Everything until the peer ends its side.
  public func readToEnd() throws -> [UInt8] {
    while try fill() {}
    defer { input = [] }
    return input
  }

  /// The head of the next response with its blank line, then as much body as it names; nil at the end.
  public func readResponse() throws -> String? {
    let blank = Array("\r\n\r\n".utf8)
    while true {
      let text = String(decoding: input, as: UTF8.self)
      if let end = text.utf8.firstRange(of: blank)?.upperBound {
        let head = String(text[..<end])
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
          .flatMap { Int($0.dropFirst(16)) }
        let total = head.utf8.count + (length ?? 0)
        if input.count >= total {
          defer { input.removeFirst(total) }
          return String(decoding: input[..<total], as: UTF8.self)
        }
      }
      guard try fill() else { return nil }
    }
  }

  /// Whether the peer resets the connection within 20 s, while we read nothing.
  public func isReset() -> Bool {
    var entry = pollfd(fd: fd, events: 0, revents: 0)
    return poll(&entry, 1, 20_000) > 0 && Int32(entry.revents) & POLLERR != 0
  }

  /// Whether the peer has neither sent nor ended anything up to now.
  public var isSilent: Bool { staysSilent(milliseconds: 0) }

  /// Whether the peer neither sends nor ends anything for so long.
  public func staysSilent(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 0
  }
}
