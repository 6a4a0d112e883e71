import EventLoop
import Gateways
import Relay
import Store
import Telemetry

/// How pushes are to be delivered.
public struct PushSettings: Sendable {
  /// From a push's arrival to its answer.
  public var deadline: Duration
  /// Pushes under way in this worker; beyond it they are refused.
  public var maximumInFlight: Int
  /// Seconds for which a gateway keeps a notification for a device that is away.
  public var timeToLive: UInt64

  public init(deadline: Duration, maximumInFlight: Int, timeToLive: UInt64) {
    self.deadline = deadline
    self.maximumInFlight = maximumInFlight
    self.timeToLive = timeToLive
  }
}

/// The way of a push in one worker: signature, registration, duplicate check, gateway, answer.
/// Loop thread only.
public final class PushService {
  public typealias Completion = (PushResult) -> Void

  let loop: EventLoop
  let shared: SharedService
  let reader: StoreReader
  private(set) var gateways: GatewaySet
  /// The latest pushes.
  public let records = DeliveryRing()
  private var verifier: RelayVerifier?
  private(set) var settings: PushSettings
  /// Deliveries that this worker leads.
  private(set) var active = 0
  private var onIdle: (() -> Void)?
  private var warnedOfTimestamp = false
  private let suspects: SuspectLane

  /// - Parameter verifier: nil takes pushes without looking at their signature.
  public init(
    loop: EventLoop, shared: SharedService, reader: StoreReader, gateways: GatewaySet,
    verifier: RelayVerifier?, settings: PushSettings
  ) {
    self.loop = loop
    self.shared = shared
    self.reader = reader
    self.gateways = gateways
    self.verifier = verifier
    self.settings = settings
    suspects = SuspectLane(loop: loop)
  }

  /// Takes a new configuration for all pushes from now on. An attempt under way ends at the gateway that it
  /// began with.
  ///
  /// - Parameters:
  ///   - kinds: whose gateways change; those of other kinds stay as they are.
  ///   - replacement: the new gateways of `kinds`; a kind without one is served no longer.
  public func apply(
    _ settings: PushSettings, verifier: RelayVerifier?, replacing kinds: Set<TokenKind>,
    with replacement: GatewaySet
  ) {
    self.settings = settings
    self.verifier = verifier
    gateways.replace(kinds, with: replacement)
  }

  /// Delivers `push`; `completion` is called once, on this loop, by the deadline.
  public func push(_ push: IncomingPush, _ completion: @escaping Completion) {
    let start = MonotonicTime.now()
    // Who has sent too many wrong signatures waits behind everybody else.
    if verifier != nil, let address = push.address,
      shared.limits[.failedSignature].wait(address, now: start) != nil
    {
      guard suspects.add({ [self] in begin(push, at: start, completion) }) else {
        return begin(push, at: start, refusing: .overloaded(retryAfter: 1), completion)
      }
      return
    }
    begin(push, at: start, completion)
  }

  private func begin(
    _ push: IncomingPush, at start: MonotonicTime, refusing refusal: PushResult? = nil,
    _ completion: @escaping Completion
  ) {
    let trace = push.trace
    trace.received = start
    admit(push, at: start, refusing: refusal) { [shared, records] result in
      let end = MonotonicTime.now()
      let duration = end - start
      trace.client = push.client.text
      trace.requestID = push.requestID
      trace.peer = push.address
      trace.result = result
      trace.ended = end
      records.append(trace)
      shared.metrics.pushes.increment(result.label)
      shared.metrics.pushLatency.observe(duration)
      Self.log(result, of: push, duration, shared.log)
      completion(result)
    }
  }

  /// A line for each push that did not reach its device, at the level of what it takes to mend it.
  private static func log(_ result: PushResult, of push: IncomingPush, _ duration: Duration, _ log: Log) {
    let level: LogLevel =
      switch result {
      case .accepted, .alreadyDelivered, .rateLimited: .debug
      case .unknownClient, .clientDeleted, .invalidBody, .unauthorized, .payloadTooLarge: .info
      case .providerNotAvailable, .gatewayRejected, .gatewayBusy, .gatewayUnavailable, .gatewayTimeout,
        .overloaded, .storeFailed:
        .warning
      }
    log.log(
      level, "push",
      [
        "result": .string(result.label.rawValue), "detail": .string(result.detail),
        "client": .clientID(push.client.text), "request": .string(push.requestID),
        "duration": .milliseconds(duration),
      ])
  }

  private func admit(
    _ push: IncomingPush, at start: MonotonicTime, refusing refusal: PushResult?,
    _ completion: @escaping Completion
  ) {
    if let refusal { return completion(refusal) }
    guard active < settings.maximumInFlight else { return completion(.overloaded(retryAfter: 1)) }
    do throws(RelaySignatureError) {
      try verify(push)
    } catch {
      // A captured push that is too old carries a signature that is right.
      if case .outsideWindow = error { return completion(.unauthorized(error)) }
      let seconds = shared.limit(.failedSignature, push.address)
      return completion(seconds.map { .rateLimited(retryAfter: $0) } ?? .unauthorized(error))
    }
    let verified = MonotonicTime.now()
    push.trace.verified = verified
    shared.metrics.verification.observe(verified - start)
    do throws(PushBodyError) {
      let body = try PushBody(push.body)
      let parsed = MonotonicTime.now()
      let key: ClientKey
      let record: ClientRecord?
      do throws(StoreError) {
        key = try ClientKey(client: push.client.text)
        record = try reader.lookup(key)
      } catch {
        return completion(storeFailed(error, push))
      }
      guard let record else { return completion(.unknownClient) }
      let lookedUp = MonotonicTime.now()
      push.trace.found(record.summary, at: lookedUp)
      shared.metrics.lookup.observe(lookedUp - parsed)
      if let tombstone = record.summary.tombstone {
        return completion(.clientDeleted(reason: tombstone.reason))
      }
      guard let lease = gateways[record.summary.kind] else {
        return completion(.providerNotAvailable(kind: record.summary.kind.name))
      }
      let message = try body.message(alwaysRaw: record.summary.alwaysRaw)
      lead(push, record, lease, message, deadline: start + settings.deadline, completion)
    } catch {
      completion(.invalidBody(error))
    }
  }

  private func verify(_ push: IncomingPush) throws(RelaySignatureError) {
    guard let verifier else { return }
    let now = Int64(clamping: WallClock.seconds())
    let timestamp: RelayTimestamp
    do throws(RelaySignatureError) {
      timestamp = try verifier.verify(
        signatureHeader: push.signature, timestampHeader: push.timestamp, body: push.body.span, now: now)
    } catch {
      if case .outsideWindow(let age, _) = error { shared.metrics.relayClockSkew.set(age) }
      throw error
    }
    if let age = timestamp.age(at: now) { shared.metrics.relayClockSkew.set(age) }
    guard case .opaque = timestamp else { return }
    shared.metrics.opaqueTimestamps.increment()
    guard !warnedOfTimestamp else { return }
    warnedOfTimestamp = true
    shared.log.warning(
      "the relay's signed timestamp is no number: its age cannot be checked",
      ["request": .string(push.requestID)])
  }

  /// Delivers the push, unless another copy of it is under way or done.
  private func lead(
    _ push: IncomingPush, _ record: ClientRecord, _ lease: GatewayLease, _ message: PushMessage,
    deadline: MonotonicTime, _ completion: @escaping Completion
  ) {
    let summary = record.summary
    let key = PushKey(client: summary.key, generation: summary.generation, message: message.id)
    let role = shared.inFlight.begin(key) {
      let waiting = LoopBound(completion, loop: loop)
      return { result in waiting.run { $0(result) } }
    }
    guard role == .leader else {
      push.trace.waited = true
      return
    }
    // Only now: see InFlightTable.
    do throws(StoreError) {
      if let mark = DeliveryKey(digest: key.digest), try reader.isDelivered(mark) {
        shared.inFlight.finish(key, .alreadyDelivered)
        return completion(.alreadyDelivered)
      }
    } catch {
      let result = storeFailed(error, push)
      shared.inFlight.finish(key, result)
      return completion(result)
    }
    active += 1
    shared.metrics.inFlight.add(1)
    let delivery = Delivery(
      service: self, lease: lease, record: record, requestID: push.requestID, trace: push.trace,
      push: GatewayPush(
        id: PushID(messageID: message.id.text, clientID: push.client.text), deviceToken: record.token,
        notification: message.notification,
        lifetime: NotificationLifetime(settings.timeToLive, from: WallClock.seconds()), deadline: deadline))
    delivery.start { [self] result in
      if let outcome = result.activity { shared.store.notePush(summary.key, outcome) }
      finish(key, result)
      completion(result)
    }
  }

  private func finish(_ key: PushKey, _ result: PushResult) {
    let inFlight = shared.inFlight
    inFlight.finish(key, result)
    if result == .accepted, let mark = DeliveryKey(digest: key.digest) {
      let log = shared.log
      // The answer does not wait for the mark; the in-flight entry does.
      shared.store.markDelivered(mark) { written in
        inFlight.forget(key)
        if case .failure(let error) = written {
          log.error("a delivered mark was not written: a repeated push may show twice", ["error": "\(error)"])
        }
      }
    }
    active -= 1
    shared.metrics.inFlight.add(-1)
    if active == 0 {
      onIdle?()
      onIdle = nil
    }
  }

  private func storeFailed(_ error: StoreError, _ push: IncomingPush) -> PushResult {
    shared.log.error(
      "the store cannot be read", ["error": "\(error)", "request": .string(push.requestID)])
    return .storeFailed
  }

  /// How much goes on at each gateway of this worker.
  public var gatewayLoads: [TokenKind: GatewayLoad] { gateways.loads }

  /// Calls `completion` once nothing is under way, then closes the gateways' connections. The HTTP server
  /// must have stopped bringing pushes.
  public func shutdown(_ completion: @escaping () -> Void) {
    let gateways = self.gateways
    guard active > 0 else { return gateways.shutdown(completion) }
    onIdle = { gateways.shutdown(completion) }
  }
}

extension PushMessage {
  /// In the gateways' terms.
  var notification: Notification {
    switch self {
    case .raw(let push): .raw(topic: push.topic, tag: push.tag, message: push.message)
    case .legacyEncrypted(let push):
      .legacyEncrypted(topic: push.topic, flags: push.flags, blob: push.blob)
    case .legacyPlain(let push, let title, let body):
      .legacyPlain(topic: push.topic, flags: push.flags, blob: push.blob, title: title, body: body)
    }
  }
}
