import Glibc

/// A request and its answer over a connection of its own, with blocking calls: for a command that does nothing
/// else, never on a loop.
public enum BlockingExchange {
  /// Sends `request` and gives all that comes until the peer closes.
  ///
  /// - Parameters:
  ///   - timeout: for everything together.
  ///   - limit: bytes; what comes beyond is left.
  public static func run(
    _ address: SocketAddress, _ request: [UInt8], timeout: Duration, limit: Int
  ) throws(SystemError) -> [UInt8] {
    let deadline = MonotonicTime.now() + timeout
    let socket = try Socket(for: address)
    let file = socket.fd
    func failure(_ call: String, _ code: Int32 = errno) -> SystemError {
      SystemError(call: call, code: code, subject: address.description)
    }
    if address.withSockaddr({ connect(file, $0, $1) }) != 0 {
      guard errno == EINPROGRESS else { throw failure("connect") }
      guard waits(file, POLLOUT, deadline) else { throw failure("connect", ETIMEDOUT) }
      let code = Socket.pendingError(of: file)
      guard code == 0 else { throw failure("connect", code) }
    }
    var rest = request[...]
    while !rest.isEmpty {
      guard waits(file, POLLOUT, deadline) else { throw failure("send", ETIMEDOUT) }
      let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw failure("send") }
      rest = rest.dropFirst(max(0, count))
    }
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while answer.count < limit {
      guard waits(file, POLLIN, deadline) else { throw failure("recv", ETIMEDOUT) }
      let count = recv(file, &chunk, chunk.count, 0)
      if count == 0 { break }
      guard count > 0 || errno == EAGAIN || errno == EINTR else { throw failure("recv") }
      answer += chunk[..<max(0, count)]
    }
    return answer
  }

  private static func waits(_ file: Int32, _ events: Int32, _ deadline: MonotonicTime) -> Bool {
    while true {
      let rest = (deadline - .now()).wholeMilliseconds
      guard rest > 0 else { return false }
      var entry = pollfd(fd: file, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: rest))
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}
