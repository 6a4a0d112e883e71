import EventLoop
import HTTP
import JSON
import Relay
import Service
import Store
import Telemetry

/// Why a client gets no push.
extension AdminRoutes {
  private static let callLimit = 50

  /// What the store says of a client.
  private struct Stored: Sendable {
    var summary: ClientSummary?
    var activity: PushActivity?
  }

  private struct Calls: Sendable {
    var records: [WorkerRecord]
    var completeSince: UInt64
  }

  func why(_ client: ClientID, _ call: Call) {
    shared.atDesk(loop) { reader -> Result<Stored, StoreError> in
      do throws(StoreError) {
        let key = try ClientKey(client: client.text)
        return .success(Stored(summary: try reader.summary(key), activity: try reader.activity(key)))
      } catch {
        return .failure(error)
      }
    } _: { [self] result in
      guard case .success(let stored) = result else { return call.storeFailed() }
      let query = DeliveryQuery(clientPrefix: client.text)
      shared.gather(loop) { worker, ring in
        Calls(
          records: ring.find(query, limit: Self.callLimit).map { WorkerRecord(worker: worker, record: $0) },
          completeSince: ring.completeSince)
      } _: { [self] calls in
        // The prefix of one ID may be another's whole.
        let records = calls.map { $0.records.filter { $0.record.clientID == client.text } }
        respond(
          client, stored, records.merged(limit: Self.callLimit), since: calls.map(\.completeSince).max() ?? 0,
          call)
      }
    }
  }

  private func respond(
    _ client: ClientID, _ stored: Stored, _ calls: [WorkerRecord], since: UInt64, _ call: Call
  ) {
    let health = stored.summary.map { shared.service.health[$0.kind].stateAndSince }
    let verdict = Verdict(
      stored.summary, stored.activity, calls: calls.map(\.record), gateway: health?.state, kinds: api.kinds)
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("client_id", client.text)
    writer.key("verdict")
    writer.beginObject()
    writer.member("code", verdict.code.rawValue)
    writer.member("level", verdict.level.rawValue)
    writer.member("text", verdict.text)
    writer.optional("advice", verdict.advice)
    writer.endObject()
    writer.key("registration")
    if let summary = stored.summary { writer.registration(summary, stored.activity) } else { writer.null() }
    writer.key("gateway")
    if let summary = stored.summary, let health, api.kinds.contains(summary.kind) {
      writer.beginObject()
      writer.gatewayState(summary.kind, health.state, since: health.since)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("calls")
    writer.records(calls)
    writer.member("calls_since_at", since)
    writer.endObject()
    call.respond(.json(200, writer.bytes))
  }
}

/// What is to be said of a client that gets no push, or seems to: the first of all reasons.
struct Verdict: Equatable {
  enum Code: String {
    case notRegistered = "not_registered"
    case tombstoned
    case noGateway = "no_gateway"
    case gatewayTrouble = "gateway_trouble"
    case lastPushFailed = "last_push_failed"
    case relayRefused = "relay_refused"
    case noPushSeen = "no_push_seen"
    case delivered
  }

  enum Level: String {
    case ok, warning, error
  }

  var code: Code
  var level: Level
  var text: String
  var advice: String?

  private init(_ code: Code, _ level: Level, _ text: String, _ advice: String? = nil) {
    self.code = code
    self.level = level
    self.text = text
    self.advice = advice
  }

  /// - Parameters:
  ///   - calls: what is remembered of the relay's calls for it, newest first.
  ///   - gateway: the state of its gateway.
  ///   - kinds: that have a gateway.
  init(
    _ summary: ClientSummary?, _ activity: PushActivity?, calls: [DeliveryRecord],
    gateway: GatewayHealth.State?, kinds: Set<TokenKind>
  ) {
    guard let summary else {
      self = Self.unregistered(calls)
      return
    }
    let name = summary.kind.words
    if let tombstone = summary.tombstone {
      self = Verdict(
        .tombstoned, .error,
        "The device token is dead: \(name) said \(tombstone.reason) on \(Self.time(tombstone.time)).",
        PurgeBrake.mayBeOurFault(tombstone.reason)
          ? "Probably \(PurgeBrake.suspicion(for: tombstone.reason))."
          : "The app was removed or has a new token. It gets pushes again once the app registers; revive it only "
            + "if \(name) was wrong.")
      return
    }
    guard kinds.contains(summary.kind) else {
      self = Verdict(
        .noGateway, .error, "It is registered for \(name), but this server has no gateway for that.",
        "Add [\(summary.kind == .fcm ? "fcm" : "apns")] to the configuration and reload.")
      return
    }
    switch gateway {
    case .rejected, .suspect, .unreachable, .degraded:
      self = Verdict(
        .gatewayTrouble, .error, "\(name) is in trouble for all clients: \(gateway?.reason ?? "unknown").",
        gateway?.advice ?? "Try again in some minutes; see the overview.")
      return
    case .unused, .ok, nil: break
    }
    self = Self.active(summary, activity, calls.filter { $0.source == .relay })
  }

  private static func unregistered(_ calls: [DeliveryRecord]) -> Verdict {
    let asked =
      calls.isEmpty
      ? "The relay has not asked for it lately either."
      : "The relay asked \(calls.count) times lately, the last time on \(time(calls.first?.receivedAt ?? 0))."
    return Verdict(
      .notRegistered, .error, "No device is registered under this client ID. \(asked)",
      "Check the ID; then let the app register: it needs this server's push URL, the user's permission for "
        + "notifications, and network. Refused registrations are counted by reason on the overview.")
  }

  private static func active(
    _ summary: ClientSummary, _ activity: PushActivity?, _ calls: [DeliveryRecord]
  ) -> Verdict {
    let name = summary.kind.words
    if let last = calls.first {
      switch last.result {
      case .accepted, .alreadyDelivered: break
      case .unauthorized, .invalidBody, .rateLimited, .overloaded:
        return Verdict(
          .relayRefused, .error,
          "The last call for it, on \(time(last.receivedAt)), was refused: \(last.detail ?? last.result.label.rawValue).",
          last.result.label == .unauthorized
            ? "Check relay.public_key and this machine's clock; a call that is not the relay's is refused rightly."
            : "See the call's steps below.")
      default:
        return Verdict(
          .lastPushFailed, .warning,
          "The last push, on \(time(last.receivedAt)), was not delivered: "
            + "\(last.detail ?? last.result.label.rawValue).",
          "Send a test push to see whether it works now.")
      }
    } else if let activity, activity.lastOutcome != .delivered {
      return Verdict(
        .lastPushFailed, .warning,
        "The last push, on \(time(activity.lastTime * 1000)), was not delivered.",
        "Send a test push to see what \(name) says now.")
    }
    guard let lastTime = calls.first?.receivedAt ?? activity.map({ $0.lastTime * 1000 }) else {
      return Verdict(
        .noPushSeen, .warning,
        "It is registered for \(name) since \(time(summary.createdAt)), but the relay has sent nothing for it.",
        "Check that the app told the relay this client ID and this server's push URL; send a test push to see "
          + "whether the device can be reached.")
    }
    return Verdict(
      .delivered, .ok, "\(name) accepted the last push for it on \(time(lastTime)).",
      "When the user saw nothing: look at the phone's notification settings and focus modes, whether the app can "
        + "decrypt the message, and on Apple's devices whether the app's notification extension crashes.")
  }

  /// `2026-11-30 12:00 UTC`
  private static func time(_ milliseconds: UInt64) -> String {
    let text = RFC3339.text(milliseconds: Int64(clamping: milliseconds))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}

extension TokenKind {
  /// For people.
  fileprivate var words: String {
    switch self {
    case .apns: "APNs"
    case .apnsSandbox: "APNs sandbox"
    case .fcm: "FCM"
    }
  }
}
