import Store
import Telemetry

/// What was counted in one interval: pushes by result and how long they took, for all and by gateway.
struct HistorySample: Equatable {
  struct Gateway: Equatable {
    var accepted: UInt64 = 0
    var failed: UInt64 = 0
    var latency = HistorySample.noLatency
  }

  static let labels = PushResultLabel.allCases
  /// One bucket more than there are bounds.
  static let noLatency = [UInt64](repeating: 0, count: Histogram.latencyBounds.count + 1)

  /// In the order of `labels`.
  var pushes = [UInt64](repeating: 0, count: labels.count)
  /// Not cumulative.
  var latency = noLatency
  /// In the order of `TokenKind.allCases`.
  var gateways = [Gateway](repeating: Gateway(), count: TokenKind.allCases.count)

  /// Everything since the start.
  init(totals metrics: ServiceMetrics) {
    pushes = Self.labels.map { metrics.pushes[$0] }
    latency = metrics.pushLatency.counts
    gateways = TokenKind.allCases.map { kind in
      var gateway = Gateway()
      for label in GatewayAnswerLabel.allCases {
        let count = metrics.gatewayAnswers[kind]?[label] ?? 0
        if label == .accepted { gateway.accepted += count } else { gateway.failed += count }
      }
      gateway.latency = metrics.gatewayLatency[kind]?.counts ?? Self.noLatency
      return gateway
    }
  }

  init() {}

  var isEmpty: Bool { self == HistorySample() }

  mutating func add(_ other: HistorySample) {
    combine(other, &+)
  }

  /// What came since `earlier`.
  func since(_ earlier: HistorySample) -> HistorySample {
    var difference = self
    // Counters are read one after the other: none may seem to run backwards.
    difference.combine(earlier) { $0 > $1 ? $0 - $1 : 0 }
    return difference
  }

  private mutating func combine(_ other: HistorySample, _ operation: (UInt64, UInt64) -> UInt64) {
    func combine(_ left: inout [UInt64], _ right: [UInt64]) {
      for index in left.indices where index < right.count {
        left[index] = operation(left[index], right[index])
      }
    }
    combine(&pushes, other.pushes)
    combine(&latency, other.latency)
    for index in gateways.indices where index < other.gateways.count {
      gateways[index].accepted = operation(gateways[index].accepted, other.gateways[index].accepted)
      gateways[index].failed = operation(gateways[index].failed, other.gateways[index].failed)
      combine(&gateways[index].latency, other.gateways[index].latency)
    }
  }
}

/// Milliseconds below which half, 95 and 99 of a hundred stayed.
public struct LatencyPercentiles: Equatable, Sendable {
  public var p50: Double
  public var p95: Double
  public var p99: Double

  /// From buckets between `Histogram.latencyBounds`, taking what is in each as evenly spread; nil when all are empty.
  init?(_ buckets: [UInt64]) {
    let total = buckets.reduce(0, &+)
    guard total > 0 else { return nil }
    p50 = Self.value(0.5, buckets, total)
    p95 = Self.value(0.95, buckets, total)
    p99 = Self.value(0.99, buckets, total)
  }

  private static func value(_ share: Double, _ buckets: [UInt64], _ total: UInt64) -> Double {
    let bounds = Histogram.latencyBounds
    let rank = share * Double(total)
    var below = 0.0
    for (index, count) in buckets.enumerated() where count > 0 {
      let reached = below + Double(count)
      guard reached >= rank else {
        below = reached
        continue
      }
      guard index < bounds.count else { break }
      let lower = index == 0 ? 0 : Double(bounds[index - 1])
      let value = lower + (Double(bounds[index]) - lower) * (rank - below) / Double(count)
      return (value * 100).rounded() / 100
    }
    // Beyond the last bound nothing is known but that.
    return Double(bounds.last ?? 0)
  }
}
