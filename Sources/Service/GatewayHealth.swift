import Bytes
import EventLoop
import Gateways

/// How one gateway is doing, over all workers.
public final class GatewayHealth: Sendable {
  /// The state in an operator's terms. `reason` is the newest, `advice` what to do about it.
  public enum State: Sendable, Equatable {
    /// Nothing was sent yet.
    case unused
    case ok
    /// The latest answers were failures.
    case degraded(reason: String)
    /// The gateway refuses our credentials or topic.
    case rejected(reason: String, advice: String)
    /// Most tokens are refused for a reason that is probably our configuration's.
    case suspect(reason: String, advice: String)
    /// No connection comes about.
    case unreachable(reason: String, advice: String)

    public var label: GatewayStateLabel {
      switch self {
      case .unused: .unused
      case .ok: .ok
      case .degraded: .degraded
      case .rejected: .rejected
      case .suspect: .suspect
      case .unreachable: .unreachable
      }
    }

    public var reason: String? {
      switch self {
      case .unused, .ok: nil
      case .degraded(let reason), .rejected(let reason, _), .suspect(let reason, _),
        .unreachable(let reason, _):
        reason
      }
    }

    public var advice: String? {
      switch self {
      case .unused, .ok, .degraded: nil
      case .rejected(_, let advice), .suspect(_, let advice), .unreachable(_, let advice): advice
      }
    }
  }

  /// What a push may do.
  enum Admission: Equatable {
    case pass
    /// Goes alone, to find out; to be reported with `isProbe`.
    case probe
    case refuse(PushResult)
  }

  /// What an answer means beyond its push.
  struct Finding: Equatable {
    /// A refused token is not to be given up: the purge brake holds.
    var keepsToken = false
    /// The new state when its label or reason changed.
    var change: State?
    /// What to do about a refusal that concerns one platform only; nil when that was said lately.
    var platformAdvice: String?
  }

  private struct Content {
    var state = State.unused
    /// When the state's label last changed, in milliseconds since the epoch.
    var since: UInt64?
    var breaker = CircuitBreaker()
    var brake: PurgeBrake
    var lastAnswer: MonotonicTime?
    var platformAdviceGiven: MonotonicTime?
  }
  private let content: Locked<Content>
  /// `apns`, `apns-sandbox` or `fcm`.
  public let name: String
  private let brakeShare: Int
  /// Failures in a row that make a gateway degraded.
  private static let degradedAfter = 5
  /// Only a push finds out that a gateway is back, and whoever asks whether this server is ready may keep all pushes
  /// from it until it is: so bad news is believed for this long.
  static let newsLasts = Duration.seconds(60)
  /// Between two lines in the log on a platform that is refused.
  private static let advicePause = Duration.seconds(600)

  /// - Parameter brakeShare: percent of refused tokens at which none is given up any more.
  public init(name: String, brakeShare: Int = PurgeBrake.defaultShare) {
    self.name = name
    self.brakeShare = brakeShare
    content = Locked(Content(brake: PurgeBrake(share: brakeShare)))
  }

  public var state: State { content.withLock { $0.state } }

  /// The state, and since when it is that, in milliseconds since the epoch; nil while it is the first.
  public var stateAndSince: (state: State, since: UInt64?) { content.withLock { ($0.state, $0.since) } }

  /// Whether a push may well be taken: false for a minute after the latest answer when that was a refusal of our
  /// credentials or no connection came about.
  public func isUsable(at now: MonotonicTime) -> Bool {
    content.withLock { content in
      switch content.state {
      case .rejected, .unreachable: content.lastAnswer.map { now - $0 >= Self.newsLasts } ?? true
      case .unused, .ok, .degraded, .suspect: true
      }
    }
  }

  /// Begins anew, for a gateway with other credentials.
  func reset() {
    content.withLock { $0 = Content(brake: PurgeBrake(share: brakeShare)) }
  }

  /// Whether a push may be sent now.
  func admit(at now: MonotonicTime) -> Admission {
    content.withLock { content in
      switch content.breaker.admit(at: now) {
      case .pass: return .pass
      case .probe: return .probe
      case .refuse:
        if case .rejected(let reason, _) = content.state { return .refuse(.gatewayRejected(reason: reason)) }
        return .refuse(.gatewayUnavailable(reason: content.state.reason ?? "the gateway fails"))
      }
    }
  }

  /// Notes the answer to one attempt.
  func note(_ outcome: GatewayOutcome, at now: MonotonicTime, isProbe: Bool = false) -> Finding {
    content.withLock { content in
      let before = content.state
      var finding = Finding()
      content.lastAnswer = now
      if case .platformRefused(_, let advice) = outcome,
        content.platformAdviceGiven.map({ now - $0 >= Self.advicePause }) ?? true
      {
        content.platformAdviceGiven = now
        finding.platformAdvice = advice
      }
      finding.keepsToken = Self.apply(outcome, to: &content, now, isProbe)
      if content.state.label != before.label { content.since = WallClock.milliseconds() }
      if content.state.label != before.label
        || (content.state.advice != nil && content.state.reason != before.reason)
      {
        finding.change = content.state
      }
      return finding
    }
  }

  /// A push that was let through as a probe is over.
  func probeEnded() {
    content.withLock { $0.breaker.probeEnded() }
  }

  /// True when a refused token is to be kept.
  private static func apply(
    _ outcome: GatewayOutcome, to content: inout Content, _ now: MonotonicTime, _ isProbe: Bool
  ) -> Bool {
    let seconds = now.nanoseconds / 1_000_000_000
    switch outcome {
    case .accepted, .deadToken:
      var refusal: String?
      if case .deadToken(let reason, _) = outcome { refusal = reason }
      content.breaker.succeed()
      content.brake.note(refusal: refusal, at: seconds)
      let holds = content.brake.isEngaged(at: seconds)
      if holds, let refusal, PurgeBrake.mayBeOurFault(refusal) {
        content.state = .suspect(reason: refusal, advice: PurgeBrake.advice(for: refusal))
        return true
      }
      if holds, case .suspect = content.state { return false }
      content.state = .ok
    case .rejected(let reason, let advice):
      content.breaker.refuse()
      content.state = .rejected(reason: reason, advice: advice)
    case .unreachable(let fault):
      content.breaker.fail(at: now)
      // A certificate does not mend itself; a refused connection often does.
      var isCertain = false
      if case .tls(.certificate) = fault.cause { isCertain = true }
      if isCertain || content.breaker.faults >= degradedAfter {
        content.state = .unreachable(reason: fault.reason, advice: fault.advice)
      }
    case .unavailable(let reason, _): fail(&content, reason, now)
    case .timedOut: fail(&content, "no answer in time", now)
    case .throttled, .invalidRequest, .platformRefused, .payloadTooLarge:
      // It answers, which is all that the breaker asks; these say nothing on other pushes.
      if isProbe { content.breaker.probeEnded() }
    }
    return false
  }

  private static func fail(_ content: inout Content, _ reason: String, _ now: MonotonicTime) {
    content.breaker.fail(at: now)
    if content.breaker.faults >= degradedAfter { content.state = .degraded(reason: reason) }
  }
}

/// The states of a gateway as a metric's fixed label set.
public enum GatewayStateLabel: String, CaseIterable, Sendable {
  case unused, ok, degraded, rejected, suspect, unreachable
}
