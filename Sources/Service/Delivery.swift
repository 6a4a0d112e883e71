import EventLoop
import Gateways
import Store
import Telemetry

/// One push on its way to its gateway: attempts until an answer that stands or the deadline. Loop thread
/// only; kept alive by what it waits for.
final class Delivery {
  private let service: PushService
  private var lease: GatewayLease
  private let health: GatewayHealth
  private let record: ClientRecord
  private let push: GatewayPush
  private let requestID: String
  private let trace: PushTrace
  private var policy: RetryPolicy
  private var completion: ((PushResult) -> Void)?
  private var isProbe = false
  private var burialTimer: Timer?

  init(
    service: PushService, lease: GatewayLease, record: ClientRecord, requestID: String, trace: PushTrace,
    push: GatewayPush
  ) {
    self.trace = trace
    self.service = service
    self.lease = lease
    self.record = record
    self.requestID = requestID
    self.push = push
    health = service.shared.health[record.summary.kind]
    policy = RetryPolicy(deadline: push.deadline)
  }

  func start(_ completion: @escaping (PushResult) -> Void) {
    self.completion = completion
    lease.begin()
    switch health.admit(at: .now()) {
    case .refuse(let result): return finish(result)
    case .probe: isProbe = true
    case .pass: break
    }
    attempt()
  }

  private func attempt() {
    if lease.isRetired { moveToCurrentGateway() }
    let start = MonotonicTime.now()
    if trace.sent == nil { trace.sent = start }
    lease.gateway.deliver(push) { [self] outcome in
      service.shared.metrics.gatewayLatency[record.summary.kind]?.observe(.now() - start)
      service.shared.metrics.gatewayAnswers[record.summary.kind]?.increment(outcome.label)
      received(outcome)
    }
  }

  /// Leaves a gateway that was replaced for its successor. False when there is none.
  @discardableResult
  private func moveToCurrentGateway() -> Bool {
    guard let current = service.gateways[record.summary.kind], current !== lease else { return false }
    lease.end()
    lease = current
    lease.begin()
    return true
  }

  private func received(_ outcome: GatewayOutcome) {
    if lease.isRetired { return receivedByRetired(outcome) }
    let finding = health.note(outcome, at: .now(), isProbe: isProbe)
    isProbe = false
    if let state = finding.change { log(state) }
    if let advice = finding.platformAdvice {
      service.shared.log.error(
        "gateway refuses one platform",
        ["gateway": .string(health.name), "reason": .string(outcome.words), "advice": .string(advice)])
    }
    if case .deadToken(let reason, let since) = outcome {
      // While the brake holds, most tokens are refused, which speaks of our configuration.
      return finding.keepsToken
        ? finish(.gatewayRejected(reason: reason)) : tombstone(reason: reason, since: since)
    }
    decide(outcome)
  }

  private func decide(_ outcome: GatewayOutcome) {
    switch policy.next(after: outcome, at: .now(), jitter: .random(in: 0...1)) {
    case .finish(let result): finish(result)
    case .retry(let delay):
      service.shared.metrics.retries.increment()
      service.loop.schedule(after: delay) { [self] in
        trace.retries.append((.now(), outcome.words))
        attempt()
      }
    }
  }

  /// An answer to the configuration of yesterday says nothing about today's, nor about the token when it
  /// may be the configuration's fault.
  private func receivedByRetired(_ outcome: GatewayOutcome) {
    switch outcome {
    case .deadToken(let reason, let since) where !PurgeBrake.mayBeOurFault(reason):
      tombstone(reason: reason, since: since)
    case .rejected, .deadToken:
      if moveToCurrentGateway() { return attempt() }
      finish(.providerNotAvailable(kind: record.summary.kind.name))
    default: decide(outcome)
    }
  }

  /// A line for each change of the gateway's state.
  private func log(_ state: GatewayHealth.State) {
    let level: LogLevel =
      switch state {
      case .unused, .ok: .info
      case .degraded: .warning
      case .rejected, .suspect, .unreachable: .error
      }
    service.shared.log.log(
      level, "gateway",
      [
        "gateway": .string(health.name), "state": .string(state.label.rawValue),
        "reason": .string(state.reason ?? ""), "advice": .string(state.advice ?? ""),
      ])
  }

  /// Answers once the token is buried, so that the next push to this client finds it so; but by the deadline
  /// even if the disk hangs. Without a time from the gateway, a registration that came during the push wins.
  private func tombstone(reason: String, since: UInt64?) {
    let summary = record.summary
    let bound = LoopBound(self, loop: service.loop)
    burialTimer = service.loop.schedule(at: push.deadline) { [self] in
      finish(.clientDeleted(reason: reason))
    }
    service.shared.store.tombstone(
      summary.key, ifTokenIndex: summary.tokenIndex, since: since ?? summary.updatedAt, reason: reason
    ) { outcome in
      bound.run { $0.buried(outcome, reason: reason) }
    }
  }

  private func buried(_ outcome: Result<TombstoneOutcome, StoreError>, reason: String) {
    burialTimer?.cancel()
    let log = service.shared.log
    let summary = record.summary
    switch outcome {
    case .success(.superseded):
      // The device has a new token by now: the relay's retry goes there.
      let current = try? service.reader.lookup(summary.key)
      if let current, current.summary.tokenIndex != summary.tokenIndex {
        return finish(.gatewayUnavailable(reason: "the device registered a new token meanwhile"))
      }
    case .success:
      log.info(
        "device token given up",
        [
          "client": .clientID(summary.key.clientID), "gateway": .string(health.name),
          "reason": .string(reason), "request": .string(requestID),
        ])
    case .failure(let error):
      log.error("a dead token could not be marked", ["error": "\(error)", "request": .string(requestID)])
    }
    finish(.clientDeleted(reason: reason))
  }

  private func finish(_ result: PushResult) {
    // The deadline's answer may have come before the store's.
    guard let completion else { return }
    self.completion = nil
    lease.end()
    if isProbe { health.probeEnded() }
    isProbe = false
    completion(result)
  }
}
