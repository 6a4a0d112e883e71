import Bytes
import EventLoop
import Gateways
import Relay
import Store

/// The way of one push as it goes: when each step was reached. Written by the loop that serves the push, and left
/// alone once it is in a `DeliveryRing`.
public final class PushTrace {
  /// Whose request it was.
  public enum Source: String, Sendable {
    case relay, test
  }

  let source: Source
  /// Filled in as the push goes; a step that was not reached has none.
  var client = ""
  var requestID = ""
  var peer: IPAddress?
  var received = MonotonicTime(nanoseconds: 0)
  var verified: MonotonicTime?
  var lookedUp: MonotonicTime?
  var sent: MonotonicTime?
  var ended = MonotonicTime(nanoseconds: 0)
  var kind: TokenKind?
  var tokenIndex: [UInt8] = []
  /// When a further attempt was begun, and why the one before had failed.
  var retries: [(time: MonotonicTime, reason: String)] = []
  /// Waited for another copy of the same push, whose result it got.
  var waited = false
  var result = PushResult.accepted
  /// Its place in the ring.
  var number: UInt64 = 0

  public init(source: Source = .relay) {
    self.source = source
  }

  func found(_ summary: ClientSummary, at time: MonotonicTime) {
    lookedUp = time
    kind = summary.kind
    tokenIndex = summary.tokenIndex
  }
}

extension GatewayOutcome {
  /// For people; no token, no message.
  var words: String {
    switch self {
    case .accepted: "accepted"
    case .deadToken(let reason, _): "the token is dead: \(reason)"
    case .rejected(let reason, _): "refused: \(reason)"
    case .payloadTooLarge: "too large"
    case .platformRefused(let reason, _): "platform refused: \(reason)"
    case .invalidRequest(let reason): "invalid request: \(reason)"
    case .throttled(let seconds): "throttled" + (seconds.map { " for \($0) s" } ?? "")
    case .unavailable(let reason, _): reason
    case .unreachable(let fault): fault.reason
    case .timedOut: "no answer in time"
    }
  }
}
