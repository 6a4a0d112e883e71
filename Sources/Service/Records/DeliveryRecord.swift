import EventLoop
import Store

/// The story of one push that has ended. No message content, and of the device token only its keyed hash.
public struct DeliveryRecord: Sendable, Equatable {
  public struct Step: Sendable, Equatable {
    public enum Name: String, Sendable {
      case received
      case verified
      case lookedUp = "looked_up"
      case sent
      case retried
      case answered
    }

    public var name: Name
    /// Nanoseconds since it was received.
    public var offset: Int64
    public var text: String?
  }

  /// Counts the pushes of one worker.
  public var number: UInt64
  public var source: PushTrace.Source
  public var clientID: String
  public var requestID: String
  /// The address that it came from.
  public var peer: String?
  /// Milliseconds since the epoch.
  public var receivedAt: UInt64
  /// Nanoseconds.
  public var duration: Int64
  public var result: PushResult
  public var kind: TokenKind?
  public var tokenIndex: [UInt8]
  public var steps: [Step]
  public var retries: Int

  /// - Parameters:
  ///   - now, wallNow: the same moment on both clocks, the latter in milliseconds since the epoch.
  init(_ trace: PushTrace, now: MonotonicTime, wallNow: UInt64) {
    number = trace.number
    source = trace.source
    clientID = trace.client
    requestID = trace.requestID
    peer = trace.peer.map { $0.description }
    let age = (now - trace.received).wholeMilliseconds
    receivedAt = age > 0 && UInt64(age) < wallNow ? wallNow - UInt64(age) : wallNow
    duration = (trace.ended - trace.received).wholeNanoseconds
    result = trace.result
    kind = trace.kind
    tokenIndex = trace.tokenIndex
    retries = trace.retries.count
    steps = Self.steps(of: trace)
  }

  /// What an operator needs to know besides the result's label; nil when that says all.
  public var detail: String? { result.detail.isEmpty ? nil : result.detail }

  private static func steps(of trace: PushTrace) -> [Step] {
    func offset(_ time: MonotonicTime) -> Int64 { (time - trace.received).wholeNanoseconds }
    var steps = [Step(name: .received, offset: 0)]
    if let time = trace.verified { steps.append(Step(name: .verified, offset: offset(time))) }
    if let time = trace.lookedUp { steps.append(Step(name: .lookedUp, offset: offset(time))) }
    if let time = trace.sent { steps.append(Step(name: .sent, offset: offset(time))) }
    for retry in trace.retries {
      steps.append(Step(name: .retried, offset: offset(retry.time), text: retry.reason))
    }
    var text = trace.result.label.rawValue
    if !trace.result.detail.isEmpty { text += ": \(trace.result.detail)" }
    if trace.waited { text += " (as another copy of it)" }
    steps.append(Step(name: .answered, offset: offset(trace.ended), text: text))
    return steps
  }
}

/// Which records are wanted.
public struct DeliveryQuery: Sendable {
  /// Nil: any.
  public var results: Set<PushResultLabel>?
  public var kind: TokenKind?
  /// The beginning of a client ID.
  public var clientPrefix: String?

  public init(
    results: Set<PushResultLabel>? = nil, kind: TokenKind? = nil, clientPrefix: String? = nil
  ) {
    self.results = results
    self.kind = kind
    self.clientPrefix = clientPrefix
  }

  func matches(_ trace: PushTrace) -> Bool {
    if let results, !results.contains(trace.result.label) { return false }
    if let kind, trace.kind != kind { return false }
    if let clientPrefix, !trace.client.utf8.starts(with: clientPrefix.utf8) { return false }
    return true
  }
}

extension PushResultLabel {
  /// All that is worth a look: neither delivered now nor before.
  public static let problems = Set(allCases).subtracting([.accepted, .duplicate])
}
