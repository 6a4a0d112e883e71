import EventLoop
import HTTP

/// One gateway's connections on one loop, and the pushes that are under way. Loop thread only.
final class GatewayChannel {
  /// What came of a request.
  enum Answer {
    case response(HTTPResponse)
    case failure(GatewayOutcome)
  }

  typealias Completion = (GatewayOutcome) -> Void

  /// Seconds after which a push may come again that found the queue full.
  private static let queueFullWait: UInt64 = 1

  let loop: EventLoop
  /// Begins the reason of every failure, so that an operator sees which peer it was.
  let peer: String
  private let http: HTTP2Client
  private var underWay = 0
  private var isShuttingDown = false
  /// Waits for the last push; nil once the connections are being closed.
  private var onShutdown: (() -> Void)?

  init(loop: EventLoop, peer: String, http: HTTP2Client) {
    self.loop = loop
    self.peer = peer
    self.http = http
  }

  var load: GatewayLoad {
    let counters = http.counters
    var load = GatewayLoad()
    load.connections = counters.openConnections
    load.streams = counters.activeStreams
    load.queued = counters.queuedRequests
    return load
  }

  // MARK: Pushes

  /// Admits a push, which ends with `end` or `endSoon`. When it can't be admitted, calls `completion` soon
  /// and returns false.
  func begin(deadline: MonotonicTime, _ completion: @escaping Completion) -> Bool {
    underWay += 1
    if isShuttingDown {
      endSoon(.unavailable(reason: "pushbox is shutting down", retryAfter: nil), completion)
      return false
    }
    if deadline <= loop.now {
      endSoon(.timedOut, completion)
      return false
    }
    return true
  }

  func end(_ outcome: GatewayOutcome, _ completion: Completion) {
    completion(outcome)
    underWay -= 1
    closeWhenIdle()
  }

  /// Ends a push, but not within the call that is under way: that may be `deliver`.
  func endSoon(_ outcome: GatewayOutcome, _ completion: @escaping Completion) {
    loop.schedule(at: loop.now) { self.end(outcome, completion) }
  }

  /// Admits no more pushes; closes the connections once those under way have ended.
  func shutdown(_ completion: @escaping () -> Void) {
    isShuttingDown = true
    onShutdown = completion
    closeWhenIdle()
  }

  private func closeWhenIdle() {
    guard underWay == 0, let completion = onShutdown else { return }
    onShutdown = nil
    http.shutdown(completion)
  }

  // MARK: Requests

  /// Sends `request`; `completion` is called once, not within this call, by `deadline` at the latest.
  func send(_ request: HTTPRequest, deadline: MonotonicTime, _ completion: @escaping (Answer) -> Void) {
    http.send(request, deadline: deadline) { [peer] result in
      switch result {
      case .success(let response): completion(.response(response))
      case .failure(let error): completion(.failure(Self.outcome(of: error, peer: peer)))
      }
    }
  }

  /// Within a completion of `send`: turns away from the connection that answered. False when a repetition
  /// would end up on it again.
  func leaveConnection() -> Bool {
    http.retireConnection()
  }

  /// An alert about our certificate is a refusal of our credentials, as a 403 would be.
  private static func outcome(of failure: TLSFailure, peer: String) -> GatewayOutcome {
    if case .alert(let alert) = failure, let advice = CertificateAdvice.text(for: alert) {
      return .rejected(reason: alert.description, advice: advice)
    }
    return .unreachable(GatewayConnectionFault(peer: peer, cause: .tls(failure)))
  }

  /// What a request that brought no answer means for its push.
  static func outcome(of error: HTTP2ClientError, peer: String) -> GatewayOutcome {
    switch error {
    case .timedOut: .timedOut
    case .queueFull: .unavailable(reason: "\(peer): \(error)", retryAfter: queueFullWait)
    case .connectFailed(let reason):
      .unreachable(GatewayConnectionFault(peer: peer, cause: .network(reason)))
    case .tlsFailed(let failure): outcome(of: failure, peer: peer)
    case .connectionLost, .refused, .reset, .protocolError, .responseTooLarge, .cancelled:
      .unavailable(reason: "\(peer): \(error)", retryAfter: nil)
    }
  }
}
