import Bytes
import EventLoop
import Gateways
import Relay
import Store

/// A step of a test push, as soon as it is known.
public struct TestPushStep: Sendable, Equatable {
  public enum Name: String, Sendable {
    case registration, gateway, sent, answer
  }

  public var name: Name
  public var isGood: Bool
  /// Nanoseconds since the beginning.
  public var offset: Int64
  public var text: String
}

/// What a test push came to.
public struct TestPushResult: Sendable, Equatable {
  public var result: PushResult
  /// In plain words.
  public var text: String
  /// What to do about it.
  public var advice: String?
  /// Nanoseconds.
  public var duration: Int64
}

/// A push that an operator sends to see whether a device can be reached: through the worker's own gateway, once, and
/// whatever comes of it changes nothing. Loop thread only; keeps itself until it has ended.
public final class TestPush {
  private let service: PushService
  private let trace = PushTrace(source: .test)
  private let start = MonotonicTime.now()
  private let onStep: (TestPushStep) -> Void
  private var completion: ((TestPushResult) -> Void)?

  /// Begins. `onStep` is called for each step, then `completion` once, by the deadline of any push.
  ///
  /// - Parameter requestID: names it in the log and among the deliveries.
  public static func begin(
    to client: ClientID, by service: PushService, requestID: String, address: IPAddress?,
    onStep: @escaping (TestPushStep) -> Void, _ completion: @escaping (TestPushResult) -> Void
  ) {
    let push = TestPush(service, onStep, completion)
    push.trace.client = client.text
    push.trace.requestID = requestID
    push.trace.peer = address
    push.trace.received = push.start
    push.run(client)
  }

  private init(
    _ service: PushService, _ onStep: @escaping (TestPushStep) -> Void,
    _ completion: @escaping (TestPushResult) -> Void
  ) {
    self.service = service
    self.onStep = onStep
    self.completion = completion
  }

  private func run(_ client: ClientID) {
    let record: ClientRecord?
    do throws(StoreError) {
      record = try service.reader.lookup(try ClientKey(client: client.text))
    } catch {
      step(.registration, false, "the store cannot be read: \(error)")
      return finish(.storeFailed, "The store cannot be read.", "see the log and pushbox verify")
    }
    guard let record else {
      step(.registration, false, "there is no registration of this client ID")
      return finish(
        .unknownClient, "The client is not registered.",
        "let the app register: it must know this server's push URL and have the user's permission")
    }
    trace.found(record.summary, at: .now())
    let summary = record.summary
    let form = summary.alwaysRaw ? "decrypted by the app" : "of the older form"
    if let tombstone = summary.tombstone {
      step(.registration, false, "its token was given up: \(tombstone.reason)")
      return finish(
        .clientDeleted(reason: tombstone.reason), "The device token is dead: \(tombstone.reason).",
        "the app gets pushes again once it registers; revive it first to try its present token")
    }
    step(.registration, true, "registered for \(summary.kind.name), messages \(form)")
    guard let lease = service.gateways[summary.kind] else {
      step(.gateway, false, "no gateway for \(summary.kind.name) is configured")
      return finish(
        .providerNotAvailable(kind: summary.kind.name), "This server has no gateway for such tokens.",
        "add \(summary.kind == .fcm ? "[fcm]" : "[apns]") to the configuration")
    }
    let state = service.shared.health[summary.kind].state
    step(.gateway, true, "\(summary.kind.name), state \(state.label.rawValue)")
    deliver(record, client, lease)
  }

  private func deliver(_ record: ClientRecord, _ client: ClientID, _ lease: GatewayLease) {
    let unique = "pushbox-test-\(start.nanoseconds)"
    let push = GatewayPush(
      id: PushID(messageID: unique, clientID: client.text), deviceToken: record.token,
      notification: .legacyPlain(
        topic: unique, flags: 0, blob: "", title: "pushbox", body: "Test push from your push server"),
      lifetime: NotificationLifetime(60, from: WallClock.seconds()), deadline: start + service.deadline)
    lease.begin()
    trace.sent = .now()
    step(.sent, true, "handed to the connection with \(record.summary.kind.name)")
    let kind = record.summary.kind
    lease.gateway.deliver(push) { [self] outcome in
      lease.end()
      let isGood = outcome == .accepted
      step(.answer, isGood, "\(kind.name): \(outcome.words)")
      // A policy whose time is over does not try again.
      var policy = RetryPolicy(deadline: start)
      guard case .finish(let result) = policy.next(after: outcome, at: .now(), jitter: 0) else { return }
      var advice = outcome.advice
      if case .deadToken(let reason, _) = outcome {
        advice =
          PurgeBrake.mayBeOurFault(reason)
          ? PurgeBrake.advice(for: reason)
          : "the app was removed or has a new token: it gets pushes again once it registers"
      }
      finish(result, isGood ? "The gateway accepted the notification." : "The gateway did not take it.", advice)
    }
  }

  private func step(_ name: TestPushStep.Name, _ isGood: Bool, _ text: String) {
    onStep(
      TestPushStep(
        name: name, isGood: isGood, offset: (.now() - start).wholeNanoseconds, text: text))
  }

  private func finish(_ result: PushResult, _ text: String, _ advice: String?) {
    trace.result = result
    trace.ended = .now()
    service.records.append(trace)
    let completion = self.completion
    self.completion = nil
    completion?(
      TestPushResult(
        result: result, text: text, advice: advice, duration: (trace.ended - start).wholeNanoseconds))
  }
}
