import CLinux
import Glibc

/// A connection between two processes of this machine. Blocks, with a bound on each call.
public struct UnixStream: ~Copyable {
  /// The process at the other end as the kernel knows it: the one that connected, or that listened.
  public struct Peer: Sendable {
    /// 0 when it lives in another PID namespace.
    public let processID: Int32
    public let userID: UInt32
    public let groupID: UInt32
  }

  public let peer: Peer
  private let fd: Int32

  /// - Parameter fd: a connected socket, which this closes.
  init?(adopting fd: Int32) {
    var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
    guard linux_peer_credentials(fd, &process, &user, &group) == 0 else {
      close(fd)
      return nil
    }
    peer = Peer(processID: process, userID: user, groupID: group)
    self.fd = fd
  }

  deinit {
    close(fd)
  }

  /// Connects to the listener at `address`, as for `UnixListener`; nil when there is none.
  public static func connect(to address: String) -> UnixStream? {
    guard let place = UnixAddress(address) else { return nil }
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { return nil }
    guard place.withSockaddr({ Glibc.connect(fd, $0, $1) }) == 0 else {
      close(fd)
      return nil
    }
    return UnixStream(adopting: fd)
  }

  /// Sends all of `bytes`; gives up when the other side takes none of them for so long.
  public borrowing func send(_ bytes: [UInt8], timeout: Duration) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard waits(for: POLLOUT, timeout) else { return }
      let count = rest.withUnsafeBufferPointer {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Everything until the other side closes; nil when nothing comes for so long, or more than `limit` bytes.
  public borrowing func receiveAll(limit: Int, timeout: Duration) -> [UInt8]? {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while received.count <= limit {
      guard waits(for: POLLIN, timeout) else { return nil }
      let count = recv(fd, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? received : nil }
      received += buffer.prefix(count)
    }
    return nil
  }

  private borrowing func waits(for event: Int32, _ timeout: Duration) -> Bool {
    var place = pollfd(fd: fd, events: Int16(event), revents: 0)
    while true {
      let count = poll(&place, 1, Int32(clamping: timeout.wholeMilliseconds))
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}
