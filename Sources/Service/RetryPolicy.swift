import EventLoop
import Gateways

/// Decides what follows a gateway's answer: done, or once more within the push's deadline. A value, so
/// that it can be tested without a gateway.
struct RetryPolicy {
  /// What the driver does next.
  enum Action: Equatable {
    case finish(PushResult)
    /// Send again after this long.
    case retry(after: Duration)
  }

  /// When the relay must have its answer.
  let deadline: MonotonicTime
  private(set) var attempts = 0
  /// What the relay would have been told of the last attempt that ended before the deadline.
  private var lastFault: PushResult?

  /// A retry is worth it only when this much time is left for it.
  static let minimumAttemptTime = Duration.milliseconds(200)
  private static let firstDelay = Duration.milliseconds(250)
  private static let longestDelay = Duration.seconds(8)
  /// What to tell the relay when the gateway named no time. FCM's page on scaling says 60 s for quota.
  static let defaultRetryAfter: UInt64 = 60

  init(deadline: MonotonicTime) {
    self.deadline = deadline
  }

  /// - Parameters:
  ///   - outcome: what the gateway answered, except those that concern the registration.
  ///   - jitter: 0 to 1; drawn only for a retry.
  mutating func next(
    after outcome: GatewayOutcome, at now: MonotonicTime, jitter: @autoclosure () -> Double
  ) -> Action {
    attempts += 1
    switch outcome {
    case .accepted: return .finish(.accepted)
    case .deadToken(let reason, _): return .finish(.clientDeleted(reason: reason))
    case .rejected(let reason, _): return .finish(.gatewayRejected(reason: reason))
    case .invalidRequest(let reason), .platformRefused(let reason, _):
      return .finish(.gatewayRejected(reason: reason))
    case .payloadTooLarge: return .finish(.payloadTooLarge)
    case .throttled(let seconds):
      return retry(
        after: seconds, at: now, jitter: jitter(),
        otherwise: .gatewayBusy(retryAfter: Int(clamping: seconds ?? Self.defaultRetryAfter)))
    case .unavailable(let reason, let seconds):
      return retry(after: seconds, at: now, jitter: jitter(), otherwise: .gatewayUnavailable(reason: reason))
    case .unreachable(let fault):
      return retry(
        after: nil, at: now, jitter: jitter(), otherwise: .gatewayUnavailable(reason: fault.reason))
    case .timedOut:
      // The attempt had all the time there was. An earlier one may have told more.
      return .finish(lastFault ?? .gatewayTimeout)
    }
  }

  private mutating func retry(
    after seconds: UInt64?, at now: MonotonicTime, jitter: Double, otherwise: PushResult
  )
    -> Action
  {
    lastFault = otherwise
    let doubled = Self.firstDelay * (1 << min(attempts - 1, 10))
    // Half fixed, half random: retries of many pushes spread out. Also after the time that the gateway named, which may
    // be none at all, and is the same for all of them.
    let backoff = min(doubled, Self.longestDelay) * (0.5 + jitter / 2)
    let delay = .seconds(min(seconds ?? 0, 3600)) + backoff
    guard now + delay + Self.minimumAttemptTime <= deadline else { return .finish(otherwise) }
    return .retry(after: delay)
  }
}
