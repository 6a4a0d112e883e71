import CLinux
import Glibc

/// A listening TCP socket on a loop. Loop thread only, but for `init`.
public final class Listener: IOHandler {
  /// The address bound, with the port the kernel chose when 0 was asked for.
  public let localAddress: SocketAddress
  private let loop: EventLoop
  private var fd: Int32
  private var registration: EventLoop.Registration?
  private var onAccept: ((consuming Socket, SocketAddress) -> Void)?
  private var retry: Timer?

  /// Binds and listens; accepting begins with `start`.
  ///
  /// - Parameter reusePort: lets each worker have its own listener on the same address; the kernel
  ///   spreads connections over them (`SO_REUSEPORT`).
  public init(loop: EventLoop, address: SocketAddress, reusePort: Bool = false, backlog: Int32 = 1024)
    throws(SystemError)
  {
    self.loop = loop
    let socket = try Socket(for: address)
    Socket.set(socket.fd, level: SOL_SOCKET, option: SO_REUSEADDR, to: 1)
    if reusePort { Socket.set(socket.fd, level: SOL_SOCKET, option: SO_REUSEPORT, to: 1) }
    // An IPv6 wildcard takes IPv4 too, so that one listener serves both.
    if address.isIPv6 { Socket.set(socket.fd, level: Int32(IPPROTO_IPV6), option: IPV6_V6ONLY, to: 0) }
    guard address.withSockaddr({ bind(socket.fd, $0, $1) }) == 0 else {
      throw SystemError(call: "bind", subject: address.description)
    }
    guard listen(socket.fd, backlog) == 0 else {
      throw SystemError(call: "listen", subject: address.description)
    }
    guard let bound = Socket.localAddress(of: socket.fd) else {
      throw SystemError(call: "getsockname", subject: address.description)
    }
    localAddress = bound
    fd = socket.release()
  }

  /// Accepts from a socket that listens already, beside others who do: a connection goes to whoever asks first.
  public init(loop: EventLoop, sharing socket: ListeningSocket) throws(SystemError) {
    self.loop = loop
    localAddress = socket.address
    fd = try socket.duplicate()
  }

  deinit {
    if fd >= 0 { Glibc.close(fd) }
  }

  /// The socket, to be handed on; valid until `close`.
  public var socket: ListeningSocket { ListeningSocket(descriptor: fd, address: localAddress) }

  /// Begins accepting. `onAccept` gets each connection with the peer's address.
  public func start(_ onAccept: @escaping (consuming Socket, SocketAddress) -> Void) throws(SystemError) {
    self.onAccept = onAccept
    registration = try loop.addDescriptor(fd, .readable, self)
  }

  /// Accepts what waits, then stops and closes the socket. Connections already accepted go on.
  ///
  /// A client that connects between the last accept and the close is refused or reset, unless another process
  /// has the socket too.
  public func close() {
    retry?.cancel()
    if registration != nil { acceptWaiting(limit: 1024) }
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    if fd >= 0 { Glibc.close(fd) }
    fd = -1
    onAccept = nil
  }

  func ioReady(_ events: IOEvents) {
    // Bounded, so that a flood of connections does not starve those that are open.
    acceptWaiting(limit: 64)
  }

  private func acceptWaiting(limit: Int) {
    for _ in 0..<limit {
      guard fd >= 0 else { return }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let accepted = withUnsafeMutablePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          linux_accept_nonblocking(fd, $0, &length)
        }
      }
      guard accepted >= 0 else {
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS { pause() }
        return
      }
      guard let address = SocketAddress(storage) else {
        Glibc.close(accepted)
        continue
      }
      Socket.setNoDelay(accepted)
      onAccept?(Socket(adopting: accepted), address)
    }
  }

  /// Out of descriptors: a level-triggered listener would spin, so it rests a moment.
  private func pause() {
    guard let registration else { return }
    loop.changeInterest(registration, [])
    retry = loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self, let registration = self.registration else { return }
      self.loop.changeInterest(registration, .readable)
    }
  }
}
