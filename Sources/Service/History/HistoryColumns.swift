import Store

/// Numbers over time, by steps of equal length.
public struct HistoryColumns: Sendable {
  /// Steps at most: each costs memory and time to write, all on one thread.
  public static let maximumCount = 3600

  public struct Latency: Sendable {
    /// Nil where nothing was measured.
    public var values: [LatencyPercentiles?]
  }

  public struct Gateway: Sendable {
    public var kind: TokenKind
    public var accepted: [UInt64]
    public var failed: [UInt64]
    public var latency: Latency
  }

  /// Seconds.
  public var step: UInt64
  /// Milliseconds since the epoch: the beginning of the first step.
  public var start: UInt64
  public var count: Int
  /// Only results that occurred.
  public var pushes: [(label: PushResultLabel, counts: [UInt64])]
  public var latency: Latency
  /// Only gateways that were asked.
  public var gateways: [Gateway]
  /// All steps together.
  public var total: HistoryTotals

  init(_ samples: [HistorySample], step: UInt64, start: UInt64) {
    self.step = step
    self.start = start
    count = samples.count
    var sum = HistorySample()
    for sample in samples { sum.add(sample) }
    pushes = zip(HistorySample.labels, sum.pushes).enumerated().compactMap { index, pair in
      pair.1 == 0 ? nil : (pair.0, samples.map { $0.pushes[index] })
    }
    latency = Latency(values: samples.map { LatencyPercentiles($0.latency) })
    gateways = TokenKind.allCases.enumerated().compactMap { index, kind in
      guard sum.gateways[index] != HistorySample.Gateway() else { return nil }
      return Gateway(
        kind: kind, accepted: samples.map { $0.gateways[index].accepted },
        failed: samples.map { $0.gateways[index].failed },
        latency: Latency(values: samples.map { LatencyPercentiles($0.gateways[index].latency) }))
    }
    total = HistoryTotals(sum)
  }
}

/// The numbers of a whole range.
public struct HistoryTotals: Sendable {
  /// Only results that occurred.
  public var pushes: [(label: PushResultLabel, count: UInt64)]
  public var latency: LatencyPercentiles?
  public var gatewayLatency: [TokenKind: LatencyPercentiles]

  init(_ sum: HistorySample) {
    pushes = zip(HistorySample.labels, sum.pushes).filter { $0.1 > 0 }.map { (label: $0.0, count: $0.1) }
    latency = LatencyPercentiles(sum.latency)
    gatewayLatency = [:]
    for (kind, gateway) in zip(TokenKind.allCases, sum.gateways) {
      gatewayLatency[kind] = LatencyPercentiles(gateway.latency)
    }
  }
}
