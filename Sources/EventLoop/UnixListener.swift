import CLinux
import Glibc

/// A listening Unix socket on a loop. Loop thread only.
public final class UnixListener: IOHandler {
  private let loop: EventLoop
  private var fd: Int32
  private var registration: EventLoop.Registration?
  private let onAccept: (consuming UnixStream) -> Void

  /// Binds and listens at `address`: a path, or after an `@` a name in the abstract namespace. `onAccept` gets each
  /// connection, on the loop.
  public init(
    loop: EventLoop, address: String, onAccept: @escaping (consuming UnixStream) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.onAccept = onAccept
    guard let place = UnixAddress(address) else {
      throw SystemError(call: "bind", code: ENAMETOOLONG, subject: address)
    }
    fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw SystemError(call: "socket", subject: address) }
    guard place.withSockaddr({ bind(fd, $0, $1) }) == 0, listen(fd, 16) == 0 else {
      throw SystemError(call: "bind", subject: address)
    }
    registration = try loop.addDescriptor(fd, .readable, self)
  }

  deinit {
    if fd >= 0 { Glibc.close(fd) }
  }

  /// Stops listening; whoever waits to be accepted is turned away.
  public func close() {
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    if fd >= 0 { Glibc.close(fd) }
    fd = -1
  }

  func ioReady(_ events: IOEvents) {
    // One a turn: what it asks for may take its time, and signals must come through.
    let accepted = linux_accept_nonblocking(fd, nil, nil)
    if accepted < 0, errno == EMFILE || errno == ENFILE { return pause() }
    guard accepted >= 0, let stream = UnixStream(adopting: accepted) else { return }
    onAccept(stream)
  }

  /// Out of descriptors: a level-triggered listener would spin, so it rests a moment.
  private func pause() {
    guard let registration else { return }
    loop.changeInterest(registration, [])
    loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self, let registration = self.registration else { return }
      self.loop.changeInterest(registration, .readable)
    }
  }
}
