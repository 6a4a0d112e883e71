/// What became of a push.
public enum GatewayOutcome: Equatable, Sendable {
  /// The gateway took it.
  case accepted
  /// The device token will never work again. `since`, in milliseconds since the epoch, is when the gateway
  /// learnt so: a registration newer than that is not meant.
  case deadToken(reason: String, since: UInt64?)
  /// The gateway refuses our credentials or configuration; `advice` says what to do about it.
  case rejected(reason: String, advice: String)
  /// The gateway can't reach the device's platform for want of credentials there: others are not concerned.
  case platformRefused(reason: String, advice: String)
  /// Larger than the gateway takes.
  case payloadTooLarge
  /// The gateway can't make sense of the request: a fault of ours, which a repetition does not mend.
  case invalidRequest(reason: String)
  /// Too many requests; `retryAfter` in seconds when the gateway says how long to wait.
  case throttled(retryAfter: UInt64?)
  /// A fault of the gateway or on the way to it; a later try may work.
  case unavailable(reason: String, retryAfter: UInt64?)
  /// No connection comes about.
  case unreachable(GatewayConnectionFault)
  /// No answer before the deadline.
  case timedOut
}

/// A gateway's answer: the outcome if nothing more is tried, and what may be tried first.
public struct GatewayVerdict: Equatable, Sendable {
  /// What may mend the fault.
  public enum Remedy: Equatable, Sendable {
    case none
    /// Get a new provider or access token and send the same request once more.
    case refreshCredentials
    /// Send further requests, and a repetition, on another connection.
    case newConnection
  }

  public var outcome: GatewayOutcome
  public var remedy: Remedy

  public init(_ outcome: GatewayOutcome, remedy: Remedy = .none) {
    self.outcome = outcome
    self.remedy = remedy
  }
}

/// A gateway's own word for a fault, when it may be shown.
enum GatewayReason {
  /// `text` if it looks like a reason, else the status: what a gateway or a proxy in between sends ends in
  /// logs and on the status page.
  static func shown(_ text: String?, status: Int) -> String {
    guard let text, !text.isEmpty, text.utf8.count <= 64,
      text.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      })
    else { return "HTTP \(status)" }
    return text
  }
}
