import EventLoop

/// Decides whether a gateway is to be asked at all. It opens when nothing but faults came for a while, or at
/// once when the gateway refuses our credentials; then one push at a time goes through as a probe, with
/// growing pauses between them, and the first success closes it. A value; what is under way already goes on.
struct CircuitBreaker {
  /// Faults in a row, and the time since the first of them, before it opens: a blip is for retries to mend.
  static let minimumFaults = 20
  static let patience = Duration.seconds(10)
  /// Pause before the second probe (the first goes at once); doubled each time up to the longest.
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)

  enum Admission: Equatable {
    case pass
    /// Goes through alone; to be reported with `isProbe`.
    case probe
    case refuse
  }

  private(set) var isOpen = false
  /// In a row.
  private(set) var faults = 0
  private var faultsSince: MonotonicTime?
  private var isProbing = false
  private var failedProbes = 0
  private var nextProbe: MonotonicTime?

  mutating func admit(at now: MonotonicTime) -> Admission {
    guard isOpen else { return .pass }
    if isProbing { return .refuse }
    if let nextProbe, now < nextProbe { return .refuse }
    isProbing = true
    return .probe
  }

  mutating func succeed() {
    self = CircuitBreaker()
  }

  /// The gateway failed or cannot be reached.
  mutating func fail(at now: MonotonicTime, isProbe: Bool) {
    faults += 1
    let since = faultsSince ?? now
    faultsSince = since
    if isProbe { return probeFailed(at: now) }
    if !isOpen, faults >= Self.minimumFaults, now - since >= Self.patience {
      isOpen = true
      nextProbe = now + Self.firstPause
    }
  }

  /// The gateway refuses our credentials or configuration.
  mutating func refuse(at now: MonotonicTime, isProbe: Bool) {
    isOpen = true
    if isProbe { probeFailed(at: now) }
  }

  /// A probe ended without a word on the gateway, such as a payload that was too large.
  mutating func probeEnded() {
    isProbing = false
  }

  private mutating func probeFailed(at now: MonotonicTime) {
    isProbing = false
    nextProbe = now + min(Self.firstPause * (1 << min(failedProbes, 10)), Self.longestPause)
    failedProbes += 1
  }
}
