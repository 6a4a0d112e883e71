import EventLoop

/// Whether the peer of an HTTP/1.1 connection is in time. A connection waits for one thing at a time, and each has
/// its timeout, but for the handler, which has its own deadlines. Loop-owned.
struct HTTP1ServerWatch {
  enum Reason {
    case nextRequest, head, body, handler, peerToRead
  }

  /// What the connection waits for, with the number of the request that it concerns.
  private struct Waiting: Equatable {
    var reason: Reason
    var request: Int32
  }

  private let context: HTTPServerContext
  private var deadline: ConnectionDeadline
  private var waiting: Waiting?
  /// Bytes that the peer had taken when the deadline was set.
  private var sentAtDeadline = 0

  /// - Parameter onTimer: has to call `overdue`.
  init(_ context: HTTPServerContext, onTimer: @escaping () -> Void) {
    self.context = context
    deadline = ConnectionDeadline(loop: context.loop, shortest: context.shortestTimeout)
    deadline.onTimer = onTimer
  }

  /// Sets the deadline anew when what the connection waits for has changed, and only then: a peer gains no time
  /// by sending single bytes.
  ///
  /// - Parameter sent: bytes that the peer has taken so far.
  mutating func wait(for reason: Reason, request: Int32, sent: Int) {
    let now = Waiting(reason: reason, request: request)
    guard now != waiting else { return }
    waiting = now
    switch reason {
    case .nextRequest: deadline.set(after: context.options.idleTimeout)
    case .head: deadline.set(after: context.options.headTimeout)
    case .body: deadline.set(after: context.options.bodyTimeout)
    case .handler: deadline.clear()
    case .peerToRead:
      sentAtDeadline = sent
      deadline.set(after: context.options.writeTimeout)
    }
  }

  /// What has not come in time; nil while the peer has time left. To be followed by `wait`.
  mutating func overdue(sent: Int) -> Reason? {
    guard deadline.hasPassed(), let reason = waiting?.reason else { return nil }
    if reason == .peerToRead, sent > sentAtDeadline {
      // It reads, and gets as long again.
      waiting = nil
      return nil
    }
    return reason
  }

  /// No more deadlines.
  mutating func cancel() {
    deadline.cancel()
  }
}
