import CLinux
import Glibc

/// Brings a TCP connection about: resolves the host, then tries its addresses in order. Used by
/// `SocketTransport`; gone once it has reported.
final class Connector: IOHandler {
  private let loop: EventLoop
  private let host: String
  private let port: UInt16
  private let deadline: MonotonicTime
  private var completion: ((Result<(fd: Int32, address: SocketAddress), TransportError>) -> Void)?
  private var waiting: ArraySlice<SocketAddress> = []
  private var current: SocketAddress?
  private var fd: Int32 = -1
  private var registration: EventLoop.Registration?
  private var timer: Timer?
  private var lastError: TransportError?

  init(
    loop: EventLoop, host: String, port: UInt16, deadline: MonotonicTime,
    completion: @escaping (Result<(fd: Int32, address: SocketAddress), TransportError>) -> Void
  ) {
    self.loop = loop
    self.host = host
    self.port = port
    self.deadline = deadline
    self.completion = completion
  }

  func start() {
    let bound = LoopBound(self, loop: loop)
    Resolver.resolve(host: host, port: port, on: loop) { result in
      bound.value.resolved(result)
    }
  }

  /// Ends the attempt without a report.
  func cancel() {
    completion = nil
    dropAttempt()
  }

  private func resolved(_ result: Result<[SocketAddress], TransportError>) {
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success(let addresses):
      waiting = addresses[...]
      tryNext()
    }
  }

  private func tryNext() {
    guard completion != nil else { return }
    guard let address = waiting.popFirst() else {
      return finish(.failure(lastError ?? .resolveFailed(host: host, reason: "it has no address")))
    }
    current = address
    do throws(SystemError) {
      fd = try Socket(for: address).release()
    } catch {
      return fail(error.code)
    }
    Socket.setNoDelay(fd)
    let result = address.withSockaddr { connect(fd, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else { return fail(errno) }
    do throws(SystemError) {
      registration = try loop.addDescriptor(fd, .writable, self)
    } catch {
      return fail(error.code)
    }
    // A dead address may use an equal share of the time left, so that the others get their chance.
    let left = deadline - .now()
    timer = loop.schedule(at: .now() + left / (waiting.count + 1)) { [weak self] in self?.fail(ETIMEDOUT) }
  }

  func ioReady(_ events: IOEvents) {
    let code = Socket.pendingError(of: fd)
    guard code == 0, let current else { return fail(code == 0 ? ENOTCONN : code) }
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    let connected = fd
    fd = -1
    finish(.success((connected, current)))
  }

  private func fail(_ code: Int32) {
    let address = current?.description ?? "\(host):\(port)"
    lastError = .connectFailed(address: address, reason: SystemError.text(code))
    dropAttempt()
    tryNext()
  }

  private func dropAttempt() {
    timer?.cancel()
    timer = nil
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    if fd >= 0 { close(fd) }
    fd = -1
  }

  private func finish(_ result: Result<(fd: Int32, address: SocketAddress), TransportError>) {
    timer?.cancel()
    timer = nil
    let completion = self.completion
    self.completion = nil
    completion?(result)
  }
}
