import CLinux
import Glibc

/// Brings a TCP connection about: resolves the host, then tries its addresses as RFC 8305 says: in turn, IPv6
/// and IPv4 alternating, each with a head start before the next one runs beside it; the first that connects
/// wins. Used by `SocketTransport`; gone once it has reported.
final class Connector: TransportOpening {
  typealias Completion = (Result<(fd: Int32, address: SocketAddress), TransportError>) -> Void

  /// Connection Attempt Delay of RFC 8305 section 5.
  static let headStart = Duration.milliseconds(250)

  private let loop: EventLoop
  private let host: String
  private let port: UInt16
  private let timeouts: ConnectTimeouts
  private let resolver: ResolverCache
  private var completion: Completion?
  private var waiting: ArraySlice<SocketAddress> = []
  private var attempts: [ConnectAttempt] = []
  /// Bounds the look-up, then the connecting.
  private var phaseTimer: Timer?
  private var headStartTimer: Timer?
  private var lastError: TransportError?

  init(
    loop: EventLoop, host: String, port: UInt16, timeouts: ConnectTimeouts,
    resolver: ResolverCache = .shared, completion: @escaping Completion
  ) {
    self.loop = loop
    self.host = host
    self.port = port
    self.timeouts = timeouts
    self.resolver = resolver
    self.completion = completion
  }

  func start() {
    phaseTimer = loop.schedule(after: timeouts.lookUp) { [self] in
      finish(.failure(.resolveFailed(host: host, reason: "no answer within \(timeouts.lookUp)")))
    }
    let bound = LoopBound(self, loop: loop)
    resolver.resolve(host: host, port: port, on: loop) { result in
      bound.value.resolved(result)
    }
  }

  /// Ends the attempt without a report.
  func cancel() {
    completion = nil
    dropEverything()
  }

  private func resolved(_ result: Result<[SocketAddress], TransportError>) {
    guard completion != nil else { return }
    phaseTimer?.cancel()
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success(let addresses):
      waiting = Self.alternating(addresses)[...]
      phaseTimer = loop.schedule(after: timeouts.connect) { [self] in
        resolver.forget(host: host, port: port)
        finish(.failure(.connectTimedOut(address: "\(host):\(port)")))
      }
      startNext()
    }
  }

  /// The first one's family and the other in turn, each in the resolver's order (RFC 8305 section 4).
  static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let first = addresses.first else { return [] }
    var preferred = addresses.filter { $0.isIPv6 == first.isIPv6 }[...]
    var others = addresses.filter { $0.isIPv6 != first.isIPv6 }[...]
    var result: [SocketAddress] = []
    while !preferred.isEmpty || !others.isEmpty {
      if let next = preferred.popFirst() { result.append(next) }
      if let next = others.popFirst() { result.append(next) }
    }
    return result
  }

  private func startNext() {
    headStartTimer?.cancel()
    headStartTimer = nil
    guard completion != nil else { return }
    guard let address = waiting.popFirst() else {
      guard attempts.isEmpty else { return }
      // The addresses may be yesterday's.
      resolver.forget(host: host, port: port)
      return finish(.failure(lastError ?? .resolveFailed(host: host, reason: "it has no address")))
    }
    let attempt = ConnectAttempt(loop: loop, address: address) { [weak self] attempt, code in
      self?.ended(attempt, code)
    }
    attempts.append(attempt)
    if !waiting.isEmpty {
      headStartTimer = loop.schedule(after: Self.headStart) { [weak self] in self?.startNext() }
    }
    attempt.start()
  }

  private func ended(_ attempt: ConnectAttempt, _ code: Int32) {
    guard completion != nil else { return }
    guard code == 0 else {
      attempts.removeAll { $0 === attempt }
      lastError = .connectFailed(address: attempt.address.description, reason: SystemError.text(code))
      return startNext()
    }
    finish(.success((attempt.release(), attempt.address)))
  }

  private func dropEverything() {
    phaseTimer?.cancel()
    phaseTimer = nil
    headStartTimer?.cancel()
    headStartTimer = nil
    for attempt in attempts { attempt.drop() }
    attempts = []
  }

  private func finish(_ result: Result<(fd: Int32, address: SocketAddress), TransportError>) {
    let completion = self.completion
    self.completion = nil
    dropEverything()
    completion?(result)
  }
}

/// One address being connected to. Owns its descriptor until `release`.
private final class ConnectAttempt: IOHandler {
  let address: SocketAddress
  private let loop: EventLoop
  private let report: (ConnectAttempt, Int32) -> Void
  private var fd: Int32 = -1
  private var registration: EventLoop.Registration?

  /// - Parameter report: gets 0 or an `errno` value, once; maybe within `start`.
  init(loop: EventLoop, address: SocketAddress, report: @escaping (ConnectAttempt, Int32) -> Void) {
    self.loop = loop
    self.address = address
    self.report = report
  }

  deinit {
    if fd >= 0 { close(fd) }
  }

  func start() {
    do throws(SystemError) {
      fd = try Socket(for: address).release()
      Socket.tuneOutbound(fd)
      let result = address.withSockaddr { connect(fd, $0, $1) }
      guard result == 0 || errno == EINPROGRESS else { return fail(errno) }
      registration = try loop.addDescriptor(fd, .writable, self)
    } catch {
      fail(error.code)
    }
  }

  func ioReady(_ events: IOEvents) {
    let code = Socket.pendingError(of: fd)
    guard code == 0 else { return fail(code) }
    unwatch()
    report(self, 0)
  }

  /// Hands the descriptor on.
  func release() -> Int32 {
    defer { fd = -1 }
    return fd
  }

  func drop() {
    unwatch()
    if fd >= 0 { close(fd) }
    fd = -1
  }

  private func fail(_ code: Int32) {
    drop()
    report(self, code)
  }

  private func unwatch() {
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
  }
}
