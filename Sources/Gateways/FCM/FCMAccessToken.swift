/// The cache of one service account's access token, as a state machine: it says when to fetch, the owner
/// does so and reports back. At most one fetch is under way; pushes go on with the old token while it lasts.
///
/// All times are in seconds on one clock that the owner chooses; it should not jump.
public struct FCMAccessToken: Sendable {
  /// How long before its end a token is renewed.
  public static let refreshMargin: UInt64 = 300
  /// Shortest time from one token that FCM refused to the next: where a new one is refused too, it is not the
  /// token that is at fault, and fetching for every push would not help.
  public static let refusalPause: UInt64 = 60
  /// A token is used for this long at least, whatever lifetime the endpoint gives it.
  public static let shortestLifetime: UInt64 = 60
  /// Waits after failures: the first, doubled each time, up to the longest.
  public static let firstBackoff: UInt64 = 1
  public static let longestBackoff: UInt64 = 60

  /// What to do with a push.
  public enum Action: Equatable, Sendable {
    /// Send it with this token.
    case use(String)
    /// Send it with this token, and begin a fetch.
    case useAndFetch(String)
    /// Begin a fetch; the push waits for it.
    case fetch
    /// The push waits for the fetch under way.
    case wait
    /// No token is to be had for now: the push ends with this outcome.
    case fail(GatewayOutcome)
  }

  private struct Token: Sendable {
    var text: String
    var received: UInt64
    var expiry: UInt64
  }

  private struct Failure: Sendable {
    var outcome: GatewayOutcome
    var retryAt: UInt64
  }

  private var token: Token?
  private var isFetching = false
  /// The last fetch's failure, and how many failed in a row.
  private var failure: Failure?
  private var failureCount: UInt64 = 0
  /// When a token was last given up because FCM refused it.
  private var lastRefusal: UInt64?

  public init() {}

  /// Whether a fetch was asked for and not yet reported on.
  public var isFetchUnderWay: Bool { isFetching }

  /// What to do with a push at `now`.
  public mutating func next(now: UInt64) -> Action {
    let usable = token.flatMap { now < $0.expiry ? $0 : nil }
    let isFresh = usable.map { now + Self.margin(of: $0) < $0.expiry } ?? false
    if let usable, isFresh || isFetching || isBackingOff(now) { return .use(usable.text) }
    if isFetching { return .wait }
    if let failure, now < failure.retryAt { return .fail(failure.outcome) }
    isFetching = true
    if let usable { return .useAndFetch(usable.text) }
    return .fetch
  }

  /// Reports that a fetch brought `text`, valid for `lifetime` seconds. It is used for a minute at least: an
  /// endpoint that says less must not make every push fetch a token.
  public mutating func received(_ text: String, lifetime: UInt64, now: UInt64) {
    isFetching = false
    failure = nil
    failureCount = 0
    let (expiry, overflow) = now.addingReportingOverflow(max(lifetime, Self.shortestLifetime))
    token = Token(text: text, received: now, expiry: overflow ? .max : expiry)
  }

  /// Reports that a fetch failed with `outcome`; the next one waits, as long as the endpoint says or longer
  /// each time.
  public mutating func failed(_ outcome: GatewayOutcome, now: UInt64) {
    isFetching = false
    let doublings = min(failureCount, 16)
    failureCount += 1
    var wait = min(Self.firstBackoff << doublings, Self.longestBackoff)
    switch outcome {
    case .throttled(let retryAfter?), .unavailable(_, let retryAfter?): wait = max(wait, retryAfter)
    default: break
    }
    failure = Failure(outcome: outcome, retryAt: now + wait)
  }

  /// Reports that FCM refused `text` with 401. True when the push should be sent once more, with what `next`
  /// then gives; false when a new token would not help.
  public mutating func refused(_ text: String, now: UInt64) -> Bool {
    guard let current = token, current.text == text else {
      // Another push reported it before.
      return true
    }
    if let lastRefusal, now < lastRefusal + Self.refusalPause { return false }
    lastRefusal = now
    token = nil
    return true
  }

  private func isBackingOff(_ now: UInt64) -> Bool {
    failure.map { now < $0.retryAt } ?? false
  }

  /// A token that lives shortly is renewed at half of its life, not with every push.
  private static func margin(of token: Token) -> UInt64 {
    min(refreshMargin, (token.expiry - token.received) / 2)
  }
}
