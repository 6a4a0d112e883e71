import EventLoop

/// Tells which streams and connections of a server are too slow, from a look now and then.
struct HTTP2ServerWatch {
  enum Connection {
    case goesOn
    /// No stream has been open for the idle timeout.
    case isIdle
    /// The peer has taken nothing of what waits for it for the write timeout.
    case isStalled
  }

  private let requestTimeout: Duration
  private let idleTimeout: Duration
  private let writeTimeout: Duration
  /// When a request that has not come whole was first seen.
  private var firstSeen: [Int32: MonotonicTime] = [:]
  private var lastProgress: MonotonicTime
  private var lastPendingBytes = 0

  init(options: HTTPServerOptions, now: MonotonicTime) {
    requestTimeout = options.headTimeout + options.bodyTimeout
    idleTimeout = options.idleTimeout
    writeTimeout = options.writeTimeout
    lastProgress = now
  }

  /// A request was answered, a stream has ended, or output was taken.
  mutating func progressed(now: MonotonicTime) {
    lastProgress = now
  }

  mutating func check(
    now: MonotonicTime, incomplete: [Int32], openStreams: Int, awaitingHandler: Bool, pendingBytes: Int
  ) -> (tooSlow: [Int32], connection: Connection) {
    // Fewer bytes wait than at the last look, so the peer has taken some.
    if pendingBytes < lastPendingBytes { lastProgress = now }
    lastPendingBytes = pendingBytes
    var seen: [Int32: MonotonicTime] = [:]
    var tooSlow: [Int32] = []
    for stream in incomplete {
      let first = firstSeen[stream] ?? now
      if now - first >= requestTimeout {
        tooSlow.append(stream)
      } else {
        seen[stream] = first
      }
    }
    firstSeen = seen
    let quiet = now - lastProgress
    if openStreams == 0, pendingBytes == 0 {
      return (tooSlow, quiet >= idleTimeout ? .isIdle : .goesOn)
    }
    // Output waits in the transport, or in the session for the peer to open its window.
    let waitsForPeer = pendingBytes > 0 || (!awaitingHandler && incomplete.isEmpty)
    return (tooSlow, waitsForPeer && quiet >= writeTimeout ? .isStalled : .goesOn)
  }
}
