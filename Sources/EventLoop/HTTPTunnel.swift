import CLinux
import Glibc

/// Opens a tunnel through a proxy on a connected socket, which it owns meanwhile.
final class HTTPTunnel: TransportOpening, IOHandler {
  private let loop: EventLoop
  private var fd: Int32
  private var handshake: HTTPTunnelHandshake
  private var unsent: ArraySlice<UInt8>
  private var registration: EventLoop.Registration?
  private var timer: Timer?
  private var completion: ((Result<Int32, TransportError>) -> Void)?

  init(
    loop: EventLoop, fd: Int32, handshake: HTTPTunnelHandshake, timeout: Duration,
    completion: @escaping (Result<Int32, TransportError>) -> Void
  ) {
    self.loop = loop
    self.fd = fd
    self.handshake = handshake
    self.completion = completion
    unsent = handshake.request[...]
    timer = loop.schedule(after: timeout) { [weak self] in
      guard let self, case .failed(let error) = self.handshake.fail("no answer within \(timeout)") else {
        return
      }
      self.finish(.failure(error))
    }
  }

  deinit {
    if fd >= 0 { close(fd) }
  }

  func start() {
    do throws(SystemError) {
      registration = try loop.addDescriptor(fd, .writable, self)
    } catch {
      finish(.failure(.lost(error.description)))
    }
  }

  func cancel() {
    completion = nil
    drop()
  }

  func ioReady(_ events: IOEvents) {
    if !unsent.isEmpty { return sendRequest() }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(fd, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    let progress =
      count > 0
      ? handshake.receive(buffer[..<count])
      : handshake.fail(count == 0 ? "it closed the connection" : SystemError.text(errno))
    switch progress {
    case .needsMore: return
    case .open: finish(.success(fd))
    case .failed(let error): finish(.failure(error))
    }
  }

  private func sendRequest() {
    let count = unsent.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count < 0 {
      if errno == EAGAIN || errno == EINTR { return }
      guard case .failed(let error) = handshake.fail(SystemError.text(errno)) else { return }
      return finish(.failure(error))
    }
    unsent = unsent.dropFirst(count)
    if unsent.isEmpty, let registration { loop.changeInterest(registration, .readable) }
  }

  private func drop() {
    timer?.cancel()
    timer = nil
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    if fd >= 0 { close(fd) }
    fd = -1
  }

  private func finish(_ result: Result<Int32, TransportError>) {
    let completion = self.completion
    self.completion = nil
    // On success the descriptor is the caller's.
    if case .success = result { fd = -1 }
    drop()
    completion?(result)
  }
}
