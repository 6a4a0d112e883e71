import Store
import Telemetry

/// Counters of the push and registration paths, shared by all workers.
public final class ServiceMetrics: Sendable {
  /// How a registration request ended.
  public enum RegistrationLabel: String, CaseIterable, Sendable {
    case created, updated, revived, deleted, refused, failed
  }

  let pushes: CounterFamily<PushResultLabel>
  let registrations: CounterFamily<RegistrationLabel>
  /// Requests refused for the rate of their address.
  let limited: CounterFamily<RequestLimits.Kind>
  let pushLatency: Histogram
  let gatewayLatency: [TokenKind: Histogram]
  let retries: Counter
  let opaqueTimestamps: Counter
  /// Seconds by which the last signed timestamp lay behind our clock.
  let relayClockSkew: Gauge
  let inFlight: Gauge

  public init(registry: MetricsRegistry) {
    pushes = registry.counters(
      "pushbox_pushes_total", help: "Pushes from the relay by result.", by: "result", PushResultLabel.self)
    registrations = registry.counters(
      "pushbox_registrations_total", help: "Registration and deletion requests by result.", by: "result",
      RegistrationLabel.self)
    limited = registry.counters(
      "pushbox_requests_limited_total", help: "Requests refused because their address made too many.",
      by: "kind", RequestLimits.Kind.self)
    pushLatency = registry.histogram(
      "pushbox_push_duration_seconds", help: "Time from a push's arrival to its answer.")
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
    inFlight = registry.gauge("pushbox_pushes_in_flight", help: "Pushes being delivered at this moment.")
  }
}
