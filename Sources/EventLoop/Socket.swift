import CLinux
import Glibc

/// Owner of one socket descriptor: closed when dropped, unless `release` handed it on.
public struct Socket: ~Copyable {
  let fd: Int32

  init(adopting fd: Int32) {
    self.fd = fd
  }

  /// A non-blocking TCP socket for `address`'s family.
  init(for address: SocketAddress) throws(SystemError) {
    fd = socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw SystemError(call: "socket", subject: address.description) }
  }

  deinit {
    if fd >= 0 { close(fd) }
  }

  /// Gives the descriptor to the caller, who closes it.
  consuming func release() -> Int32 {
    let fd = fd
    discard self
    return fd
  }

  /// Sets an integer option; options here are improvements, so a kernel without one is no error.
  static func set(_ fd: Int32, level: Int32, option: Int32, to value: Int32) {
    var value = value
    setsockopt(fd, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Small writes leave at once: output is gathered per turn already.
  static func setNoDelay(_ fd: Int32) {
    set(fd, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, to: 1)
  }

  /// For connections that we make and keep: a peer that vanished is noticed although nothing tells so.
  static func tuneOutbound(_ fd: Int32) {
    setNoDelay(fd)
    // Bytes that nobody acknowledges for so long end the connection (tcp(7)); by default it is a quarter hour.
    set(fd, level: Int32(IPPROTO_TCP), option: TCP_USER_TIMEOUT, to: 10_000)
    set(fd, level: SOL_SOCKET, option: SO_KEEPALIVE, to: 1)
    // Seconds of idleness before the first probe, between probes, and how many may be lost.
    set(fd, level: Int32(IPPROTO_TCP), option: TCP_KEEPIDLE, to: 60)
    set(fd, level: Int32(IPPROTO_TCP), option: TCP_KEEPINTVL, to: 10)
    set(fd, level: Int32(IPPROTO_TCP), option: TCP_KEEPCNT, to: 3)
  }

  static func localAddress(of fd: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }

  /// The error a non-blocking connect ended with, 0 when it succeeded.
  static func pendingError(of fd: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
    return code
  }
}
