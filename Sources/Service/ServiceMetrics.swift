import Gateways
import Store
import Telemetry

/// Counters of the push and registration paths, shared by all workers.
public final class ServiceMetrics: Sendable {
  /// How a registration request ended.
  public enum RegistrationLabel: String, CaseIterable, Sendable {
    case created, updated, revived, deleted, refused, failed
  }

  public let pushes: CounterFamily<PushResultLabel>
  public let registrations: CounterFamily<RegistrationLabel>
  /// Registrations refused, by what was wrong with them.
  public let refusals: CounterFamily<RegistrationRefusal>
  /// Requests refused for the rate of their address.
  let limited: CounterFamily<RequestLimits.Kind>
  /// Requests whose `X-Forwarded-For` was not believed.
  public let forwardedIgnored: Counter
  public let pushLatency: Histogram
  /// Steps of a push before its gateway is asked.
  let verification: Histogram
  let lookup: Histogram
  public let gatewayLatency: [TokenKind: Histogram]
  public let gatewayAnswers: [TokenKind: CounterFamily<GatewayAnswerLabel>]
  let retries: Counter
  let opaqueTimestamps: Counter
  /// Seconds by which the last signed timestamp lay behind our clock.
  let relayClockSkew: Gauge
  public let inFlight: Gauge
  /// Of the HTTP server.
  public let connections: Gauge

  public init(registry: MetricsRegistry) {
    pushes = registry.counters(
      "pushbox_pushes_total", help: "Pushes from the relay by result.", by: "result", PushResultLabel.self)
    registrations = registry.counters(
      "pushbox_registrations_total", help: "Registration and deletion requests by result.", by: "result",
      RegistrationLabel.self)
    refusals = registry.counters(
      "pushbox_registrations_refused_total", help: "Registrations and deletions refused, by reason.",
      by: "reason", RegistrationRefusal.self)
    limited = registry.counters(
      "pushbox_requests_limited_total", help: "Requests refused because their address made too many.",
      by: "kind", RequestLimits.Kind.self)
    forwardedIgnored = registry.counter(
      "pushbox_forwarded_ignored_total",
      help: "Requests with X-Forwarded-For from a peer that server.trusted_proxies does not name.")
    pushLatency = registry.histogram(
      "pushbox_push_duration_seconds", help: "Time from a push's arrival to its answer.")
    func step(_ name: String) -> Histogram {
      registry.histogram(
        "pushbox_push_step_duration_seconds", help: "Time of each step before the gateway is asked.",
        labels: [("step", name)], microsecondBounds: Histogram.stepBounds)
    }
    verification = step("verify")
    lookup = step("lookup")
    var answers: [TokenKind: CounterFamily<GatewayAnswerLabel>] = [:]
    for kind in TokenKind.allCases {
      answers[kind] = registry.counters(
        "pushbox_gateway_answers_total", help: "What gateways answered, by attempt.", by: "answer",
        GatewayAnswerLabel.self, labels: [("gateway", kind.name)])
    }
    gatewayAnswers = answers
    var latency: [TokenKind: Histogram] = [:]
    for kind in TokenKind.allCases {
      latency[kind] = registry.histogram(
        "pushbox_gateway_duration_seconds", help: "Time a gateway took for one attempt.",
        labels: [("gateway", kind.name)])
    }
    gatewayLatency = latency
    retries = registry.counter("pushbox_gateway_retries_total", help: "Attempts after the first of a push.")
    opaqueTimestamps = registry.counter(
      "pushbox_relay_timestamps_opaque_total",
      help: "Signed timestamps that are no number of seconds or milliseconds.")
    relayClockSkew = registry.gauge(
      "pushbox_relay_clock_skew_seconds",
      help: "Seconds by which the last signed timestamp lay behind this clock; negative ahead.")
    connections = registry.gauge("pushbox_http_connections", help: "Connections that are open.")
    inFlight = registry.gauge("pushbox_pushes_in_flight", help: "Pushes being delivered at this moment.")
  }
}

extension ServiceMetrics {
  /// Counts a registration that an operator deleted.
  public func noteDeletion() {
    registrations.increment(.deleted)
  }
}

/// A gateway's answers as a metric's fixed label set.
public enum GatewayAnswerLabel: String, CaseIterable, Sendable {
  case accepted
  case deadToken = "dead_token"
  case rejected
  case platformRefused = "platform_refused"
  case payloadTooLarge = "payload_too_large"
  case invalidRequest = "invalid_request"
  case throttled
  case unavailable
  case unreachable
  case timedOut = "timed_out"
}

extension GatewayOutcome {
  var label: GatewayAnswerLabel {
    switch self {
    case .accepted: .accepted
    case .deadToken: .deadToken
    case .rejected: .rejected
    case .platformRefused: .platformRefused
    case .payloadTooLarge: .payloadTooLarge
    case .invalidRequest: .invalidRequest
    case .throttled: .throttled
    case .unavailable: .unavailable
    case .unreachable: .unreachable
    case .timedOut: .timedOut
    }
  }
}

/// Why a registration or deletion was refused, as a metric's fixed label set.
public enum RegistrationRefusal: String, CaseIterable, Sendable {
  /// The body is not JSON of the right shape.
  case body
  case clientID = "client_id"
  case type
  case token
  /// The client's signed token is missing or wrong.
  case unauthenticated
  /// No gateway for its kind of token is configured.
  case noGateway = "no_gateway"
}
