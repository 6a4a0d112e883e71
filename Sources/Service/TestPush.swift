import Bytes
import EventLoop
import Gateways
import Relay
import Store

/// A push that an operator sends to one client to see what becomes of it: the way of the relay's pushes from
/// the registration on, told step by step. Tried once. Whatever the answer, the store and the gateway's health
/// stay as they are.
public struct TestPush: Sendable {
  /// What the device is to show.
  public enum Content: Sendable, Equatable {
    /// As from a relay that sends clear text. Every app shows it.
    case alert(title: String, body: String)
    /// As the relay's messages to apps that decrypt them: with an app that cannot read this one, the alert of
    /// all such messages.
    case raw
  }

  /// One step, as soon as it is over.
  public struct Step: Sendable, Equatable {
    /// In this order; a step that fails is the last one.
    public enum Name: String, Sendable { case registration, gateway, sent, answer }

    public var name: Name
    public var isOK: Bool
    /// From the start to the end of the step.
    public var elapsed: Duration
    /// For people; no device token.
    public var text: String
  }

  /// How it ended.
  public struct Outcome: Sendable, Equatable {
    /// What the relay would have been told.
    public var result: PushResult
    public var text: String
    /// What to do about it; nil when there is nothing to do.
    public var advice: String?
    public var duration: Duration

    public var isOK: Bool { result == .accepted }
  }

  public var client: ClientID
  public var content: Content
  /// Seconds for which the gateway keeps it for a device that is away.
  public var timeToLive: UInt64
  /// For the gateway's answer.
  public var timeout: Duration

  public init(client: ClientID, content: Content, timeToLive: UInt64, timeout: Duration) {
    self.client = client
    self.content = content
    self.timeToLive = timeToLive
    self.timeout = timeout
  }

  private static let topic = "pushbox-test"
  /// Of a session request, as apps know it (WalletConnect specification, RPC methods).
  private static let tag: UInt32 = 1108
  /// Clear text, of the Sign API (push server specification).
  private static let flags: UInt32 = 2

  var notification: Notification {
    switch content {
    case .alert(let title, let body):
      .legacyPlain(
        topic: Self.topic, flags: Self.flags, blob: PlainBlob.encode(title: title, body: body), title: title,
        body: body)
    case .raw: .raw(topic: Self.topic, tag: Self.tag, message: "pushbox test push")
    }
  }

  /// Sends it through `gateways`. Both closures are called on the gateways' loop: `onStep` for each step,
  /// `completion` once, last.
  public func run(
    reader: StoreReader, gateways: GatewaySet, health: GatewayHealthSet? = nil,
    onStep: @escaping (Step) -> Void, _ completion: @escaping (Outcome) -> Void
  ) {
    let run = TestPushRun(onStep, completion)
    let record: ClientRecord
    do throws(StoreError) {
      guard let found = try reader.lookup(ClientKey(client: client.text)) else {
        return run.fail(
          .registration, .unknownClient, "the client is not registered",
          advice: "let the app register first; pushbox clients list shows who has")
      }
      record = found
    } catch {
      return run.fail(
        .registration, .storeFailed, "the store cannot answer: \(error)", advice: "see the log")
    }
    let summary = record.summary
    if let tombstone = summary.tombstone {
      return run.fail(
        .registration, .clientDeleted(reason: tombstone.reason),
        "registered for \(summary.kind.name), but the device token is dead: \(tombstone.reason)",
        advice: "it works again once the app registers")
    }
    run.pass(
      .registration,
      "registered for \(summary.kind.name)\(summary.alwaysRaw ? ", takes raw pushes only" : "")")
    guard let lease = gateways[summary.kind] else {
      return run.fail(
        .gateway, .providerNotAvailable(kind: summary.kind.name),
        "no gateway for \(summary.kind.name) is configured",
        advice: summary.kind == .fcm ? "configure [fcm]" : "configure [apns]")
    }
    // That nothing was sent yet says nothing about the gateway.
    let state = health?[summary.kind].state.label
    run.pass(
      .gateway, lease.gateway.peer + (state == .unused ? "" : state.map { ", state \($0.rawValue)" } ?? ""))
    let start = MonotonicTime.now()
    // Another ID each time: the device shall show each test.
    let id = PushID(messageID: "test-\(UInt64.random(in: 0...(.max)))", clientID: client.text)
    let push = GatewayPush(
      id: id, deviceToken: record.token, notification: notification,
      lifetime: NotificationLifetime(timeToLive, from: WallClock.seconds()), deadline: start + timeout)
    run.pass(.sent, "under the ID \(id)")
    lease.begin()
    lease.gateway.deliver(push) { outcome in
      lease.end()
      run.answered(outcome, by: summary.kind)
    }
  }
}

extension PushService {
  /// Sends a test push through this worker's gateways; see `TestPush`. It is kept among the latest pushes. Loop
  /// thread only.
  ///
  /// - Parameters:
  ///   - requestID: names the request that asks for it.
  ///   - address: where that came from.
  public func test(
    _ client: ClientID, _ content: TestPush.Content, requestID: String, address: IPAddress?,
    onStep: @escaping (TestPush.Step) -> Void, _ completion: @escaping (TestPush.Outcome) -> Void
  ) {
    let trace = PushTrace(source: .test)
    let start = MonotonicTime.now()
    trace.client = client.text
    trace.requestID = requestID
    trace.peer = address
    trace.received = start
    if let key = try? ClientKey(client: client.text), let summary = try? reader.summary(key) {
      trace.found(summary, at: .now())
    }
    TestPush(
      client: client, content: content, timeToLive: settings.timeToLive, timeout: settings.deadline
    ).run(reader: reader, gateways: gateways, health: shared.health) { step in
      if step.name == .sent { trace.sent = start + step.elapsed }
      onStep(step)
    } _: { [records] outcome in
      trace.result = outcome.result
      trace.ended = .now()
      records.append(trace)
      completion(outcome)
    }
  }
}

/// Reports on one test push.
private final class TestPushRun {
  private let start = MonotonicTime.now()
  private let onStep: (TestPush.Step) -> Void
  private let completion: (TestPush.Outcome) -> Void

  init(
    _ onStep: @escaping (TestPush.Step) -> Void, _ completion: @escaping (TestPush.Outcome) -> Void
  ) {
    self.onStep = onStep
    self.completion = completion
  }

  func pass(_ name: TestPush.Step.Name, _ text: String) {
    onStep(TestPush.Step(name: name, isOK: true, elapsed: .now() - start, text: text))
  }

  func fail(_ name: TestPush.Step.Name, _ result: PushResult, _ text: String, advice: String?) {
    let elapsed = MonotonicTime.now() - start
    onStep(TestPush.Step(name: name, isOK: false, elapsed: elapsed, text: text))
    completion(TestPush.Outcome(result: result, text: text, advice: advice, duration: elapsed))
  }

  func answered(_ outcome: GatewayOutcome, by kind: TokenKind) {
    // What the relay would be told if there were no time for a retry.
    let now = MonotonicTime.now()
    var policy = RetryPolicy(deadline: now)
    guard case .finish(let result) = policy.next(after: outcome, at: now, jitter: 0) else { return }
    let words = Self.words(outcome, kind.name)
    guard case .accepted = outcome else { return fail(.answer, result, words.text, advice: words.advice) }
    pass(.answer, words.text)
    completion(
      TestPush.Outcome(result: result, text: words.text, advice: nil, duration: .now() - start))
  }

  private static func words(_ outcome: GatewayOutcome, _ gateway: String) -> (text: String, advice: String?) {
    switch outcome {
    case .accepted: ("\(gateway) accepted the notification", nil)
    case .deadToken(let reason, _):
      (
        "\(gateway) refuses the device token: \(reason)",
        PurgeBrake.mayBeOurFault(reason)
          ? PurgeBrake.suspicion(for: reason)
          : "the app was removed or has another token by now: it works again once the app registers"
      )
    case .rejected(let reason, let advice): ("\(gateway) refuses pushbox: \(reason)", advice)
    case .platformRefused(let reason, let advice):
      ("\(gateway) cannot reach the device's platform: \(reason)", advice)
    case .payloadTooLarge: ("the notification is larger than \(gateway) takes", "send a shorter text")
    case .invalidRequest(let reason):
      ("\(gateway) cannot make sense of the request: \(reason)", "this is a fault of pushbox: report it")
    case .throttled(let seconds):
      (
        "\(gateway) throttles" + (seconds.map { ", for \($0) s" } ?? ""),
        "wait, then try again; it throttles one device as well as all of them"
      )
    case .unavailable(let reason, _): ("\(gateway) failed: \(reason)", "try again later")
    case .unreachable(let fault): ("\(gateway) cannot be reached: \(fault.reason)", fault.advice)
    case .timedOut: ("\(gateway) did not answer in time", "check the way to it, and its status page")
    }
  }
}
