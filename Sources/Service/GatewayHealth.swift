import Bytes
import EventLoop
import Gateways

/// How one gateway is doing, over all workers.
public final class GatewayHealth: Sendable {
  /// The state in an operator's terms.
  public enum State: Sendable, Equatable {
    /// Nothing was sent yet.
    case unused
    case ok
    /// The latest answers were failures; `reason` is the newest.
    case degraded(reason: String)
    /// The gateway refuses our credentials or topic: `reason` is its word, `advice` what to do.
    case rejected(reason: String, advice: String)
    /// Most tokens are refused for a reason that is probably our configuration's.
    case braking(reason: String)

    public var label: String {
      switch self {
      case .unused: "unused"
      case .ok: "ok"
      case .degraded: "degraded"
      case .rejected: "rejected"
      case .braking: "braking"
      }
    }
  }

  private struct Content {
    var state = State.unused
    var failures = 0
    var probing = false
    var brake = PurgeBrake()
  }
  private let content = Locked(Content())
  /// `apns`, `apns-sandbox` or `fcm`.
  public let name: String
  /// Failures in a row that make a gateway degraded.
  private static let degradedAfter = 5

  public init(name: String) {
    self.name = name
  }

  public var state: State { content.withLock { $0.state } }

  /// Begins anew, for a gateway with other credentials.
  func reset() {
    content.withLock { $0 = Content() }
  }

  /// Whether a push may be sent: always, but while the gateway refuses us one at a time, as a probe.
  /// Gives the refusal otherwise.
  func admit() -> PushResult? {
    content.withLock { content in
      guard case .rejected(let reason, _) = content.state else { return nil }
      guard content.probing else {
        content.probing = true
        return nil
      }
      return .gatewayRejected(reason: reason)
    }
  }

  /// Notes an answer. Returns what to make of a refused token: true when the brake holds it back.
  func note(_ outcome: GatewayOutcome, at now: UInt64) -> Bool {
    content.withLock { content in
      content.probing = false
      switch outcome {
      case .accepted:
        content.failures = 0
        content.brake.note(refusal: nil, at: now)
        content.state = .ok
      case .deadToken(let reason, _):
        content.failures = 0
        content.brake.note(refusal: reason, at: now)
        if PurgeBrake.mayBeOurFault(reason), content.brake.isEngaged(at: now) {
          content.state = .braking(reason: reason)
          return true
        }
        if case .braking = content.state { break }
        content.state = .ok
      case .rejected(let reason, let advice):
        content.state = .rejected(reason: reason, advice: advice)
      case .unavailable(let reason, _): fail(&content, reason)
      case .timedOut: fail(&content, "no answer in time")
      case .throttled: fail(&content, "it throttles us")
      case .invalidRequest(let reason): fail(&content, reason)
      case .payloadTooLarge: break
      }
      return false
    }
  }

  private func fail(_ content: inout Content, _ reason: String) {
    content.failures += 1
    if content.failures >= Self.degradedAfter { content.state = .degraded(reason: reason) }
  }
}
