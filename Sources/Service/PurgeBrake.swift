import Bytes

/// Keeps a configuration fault from wiping a fleet. A wrong topic, a sandbox mix-up or the wrong Firebase
/// project makes the gateway refuse every token; a few refusals are devices, nearly all of them are us.
///
/// Counts answers in two half-windows. While the share of refusals with a reason that may be our fault
/// is above the limit, tokens are kept and pushes count as refused by the gateway.
public struct PurgeBrake: Sendable {
  /// Length of a half-window.
  public static let windowSeconds: UInt64 = 300
  /// Percent of answers that must be such refusals.
  public static let defaultShare = 50
  /// Fewer refusals than this never brake: a small fleet may well lose some devices together.
  public static let minimumRefusals = 20

  private let share: Int

  private struct Window {
    var start: UInt64 = 0
    var answers = 0
    var refusals = 0
  }
  private var previous = Window()
  private var current = Window()

  /// - Parameter share: percent of answers, 1 to 100.
  public init(share: Int = Self.defaultShare) {
    self.share = share
  }

  /// Reasons that speak of our configuration as much as of the token (Apple, "Handling notification
  /// responses from APNs"; Firebase, "ErrorCode").
  public static func mayBeOurFault(_ reason: String) -> Bool {
    switch reason {
    case "BadDeviceToken", "DeviceTokenNotForTopic", "SENDER_ID_MISMATCH", "INVALID_ARGUMENT": true
    default: false
    }
  }

  /// What to do when most tokens are refused for `reason`.
  static func advice(for reason: String) -> String {
    "most device tokens are refused, so none is given up: \(suspicion(for: reason))"
  }

  /// What is probably wrong when a token is refused for `reason`.
  public static func suspicion(for reason: String) -> String {
    switch reason {
    case "BadDeviceToken":
      "the environment is probably wrong; apns is for apps from the App Store and TestFlight, apns-sandbox for "
        + "development builds"
    case "DeviceTokenNotForTopic":
      "apns.topic is probably wrong; it must be the bundle ID of the app that registers"
    case "SENDER_ID_MISMATCH":
      "the service account is probably of another Firebase project than the app"
    default: "check that the app registers FCM tokens of this project"
    }
  }

  /// Notes an answer; `refusal` is the reason when the token was refused. Seconds on one clock.
  public mutating func note(refusal: String?, at now: UInt64) {
    roll(at: now)
    current.answers += 1
    if let refusal, Self.mayBeOurFault(refusal) { current.refusals += 1 }
  }

  /// Whether more than the share of the recent answers were such refusals. Seconds on one clock.
  public mutating func isEngaged(at now: UInt64) -> Bool {
    roll(at: now)
    let refusals = previous.refusals + current.refusals
    let answers = previous.answers + current.answers
    return refusals >= Self.minimumRefusals && refusals * 100 > answers * share
  }

  private mutating func roll(at now: UInt64) {
    let age = now >= current.start ? now - current.start : 0
    guard age >= Self.windowSeconds else { return }
    previous = age < 2 * Self.windowSeconds ? current : Window()
    current = Window(start: now)
  }
}
