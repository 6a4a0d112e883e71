import Glibc

/// A listening TCP socket that is open in this process: inherited, or to be handed on. Lent, not owned.
public struct ListeningSocket: Sendable, Hashable {
  /// The descriptor.
  public let descriptor: Int32
  public let address: SocketAddress
  /// The name that the service manager knows it by; empty when it has none.
  public let name: String

  init(descriptor: Int32, address: SocketAddress, name: String = "") {
    self.descriptor = descriptor
    self.address = address
    self.name = name
  }

  /// Closes the descriptor, when nobody uses it any more. Other descriptors of the same socket stay open, and
  /// while one does, no connection that waits for it is lost.
  public func close() {
    Glibc.close(descriptor)
  }

  /// Another descriptor of the same socket.
  func duplicate() throws(SystemError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw SystemError(call: "fcntl", subject: address.description) }
    return copy
  }

  /// The sockets that a service manager passed to this process, sd_listen_fds(3). Call once, at the start.
  public static func inherited(_ environment: [String: String]) -> [ListeningSocket] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...1024).contains(count)
    else { return [] }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    // The first one after standard error.
    return (0..<count).compactMap { index in
      let name = Int(index) < names.count ? String(names[Int(index)]) : ""
      return adopt(3 + index, name)
    }
  }

  /// nil when it is no listening TCP socket: that is somebody else's business.
  private static func adopt(_ descriptor: Int32, _ name: String) -> ListeningSocket? {
    var isListening: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening != 0,
      let address = Socket.localAddress(of: descriptor)
    else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return ListeningSocket(descriptor: descriptor, address: address, name: name)
  }
}
