import EventLoop

/// Decides whether a gateway is to be asked at all. It opens when nothing but faults came for a while, or when the
/// gateway refused our credentials a few times in a row; then single pushes go through as probes, with growing pauses
/// between them, and the first success closes it. A value; what is under way already goes on.
///
/// The pauses run from one probe's start to the next one's start: a gateway that swallows a push for as long as
/// its deadline lasts holds up no other probe, so that its return is noticed within the longest pause.
struct CircuitBreaker {
  /// Faults in a row, and the time since the first of them, before it opens: a blip is for retries to mend.
  static let minimumFaults = 20
  static let patience = Duration.seconds(10)
  /// Refusals in a row before it opens: a push that is not sent for another's refusal is lost, so one stray answer
  /// among many good ones must not do it.
  static let minimumRefusals = 5
  /// Pause before the second probe (the first goes at once); doubled each time up to the longest.
  static let firstPause = Duration.seconds(1)
  /// Once a gateway is back the relay is turned away no longer than this. A push each few seconds is no burden,
  /// not even with refused credentials.
  static let longestPause = Duration.seconds(5)

  enum Admission: Equatable {
    case pass
    /// Goes through alone; to be reported with `isProbe`.
    case probe
    case refuse
  }

  private(set) var isOpen = false
  /// In a row.
  private(set) var faults = 0
  private var refusals = 0
  private var faultsSince: MonotonicTime?
  private var nextProbe: MonotonicTime?
  private var pause = Self.firstPause

  mutating func admit(at now: MonotonicTime) -> Admission {
    guard isOpen else { return .pass }
    if let nextProbe, now < nextProbe { return .refuse }
    nextProbe = now + pause
    pause = min(pause * 2, Self.longestPause)
    return .probe
  }

  mutating func succeed() {
    self = CircuitBreaker()
  }

  /// The gateway failed or cannot be reached.
  mutating func fail(at now: MonotonicTime) {
    faults += 1
    let since = faultsSince ?? now
    faultsSince = since
    if !isOpen, faults >= Self.minimumFaults, now - since >= Self.patience {
      isOpen = true
      nextProbe = now + Self.firstPause
    }
  }

  /// The gateway refuses our credentials or configuration.
  mutating func refuse() {
    refusals += 1
    if refusals >= Self.minimumRefusals { isOpen = true }
  }

  /// A probe ended without a word on the gateway, such as a payload that was too large: another may go.
  mutating func probeEnded() {
    nextProbe = nil
  }
}
