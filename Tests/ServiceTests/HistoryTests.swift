import Crypto
import Store
import Telemetry
import TestSupport
import Testing

@testable import Service

@Suite struct HistoryTests {
  private struct Bench {
    let folder: TemporaryFolder
    let store: Store
    let metrics: ServiceMetrics
    let history: MetricsHistory

    /// - Parameter now: seconds since the epoch.
    init(now: UInt64) throws {
      folder = try TemporaryFolder()
      store = try Store.open(
        path: folder.path + "/data", cipher: try StoreCipher(masterKey: [UInt8](repeating: 7, count: 32)))
      metrics = ServiceMetrics(registry: MetricsRegistry())
      history = MetricsHistory(metrics, store: store, log: Log(level: .error), now: now)
    }

    func count(_ label: PushResultLabel, milliseconds: Int) {
      metrics.pushes.increment(label)
      metrics.pushLatency.observe(.milliseconds(milliseconds))
    }
  }

  @Test func eachSecondHasItsOwn() throws {
    let bench = try Bench(now: 10_000)
    bench.count(.accepted, milliseconds: 12)
    bench.history.tick(now: 10_001)
    bench.history.tick(now: 10_002)
    bench.count(.accepted, milliseconds: 12)
    bench.count(.unauthorized, milliseconds: 1)
    bench.history.tick(now: 10_003)
    let hour = bench.history.lastHour(step: 1)
    #expect(hour.count == 3600)
    #expect(hour.start + UInt64(hour.count) * 1000 == 10_004_000)
    let accepted = hour.pushes.first { $0.label == .accepted }?.counts.suffix(4)
    #expect(accepted.map(Array.init) == [0, 1, 0, 1])
    #expect(hour.pushes.map(\.label) == [.accepted, .unauthorized])
    #expect(hour.latency.values.last??.p50 ?? 0 < 15)
    #expect(hour.total.pushes.map(\.count) == [2, 1])
    // Nothing is twice in wider steps; the last is under way.
    bench.count(.accepted, milliseconds: 1)
    bench.history.tick(now: 10_081)
    let wide = bench.history.lastHour(step: 60)
    #expect(wide.count == 60)
    #expect(wide.pushes.first?.counts.reduce(0, +) == 3)
    #expect(wide.pushes.first?.counts.last == 1)
  }

  @Test func anHourLaterItIsGone() throws {
    let bench = try Bench(now: 10_000)
    bench.count(.accepted, milliseconds: 1)
    bench.history.tick(now: 10_001)
    bench.history.tick(now: 10_001 + 3599)
    #expect(bench.history.lastHour(step: 1).total.pushes.map(\.count) == [1])
    bench.history.tick(now: 10_001 + 3600)
    #expect(bench.history.lastHour(step: 1).total.pushes.isEmpty)
    // A clock that was set back far does not stop it.
    bench.count(.accepted, milliseconds: 1)
    bench.history.tick(now: 9000)
    bench.history.tick(now: 9001)
    #expect(bench.history.lastHour(step: 1).total.pushes.map(\.count) == [1])
  }

  @Test func minutesGoToTheStoreAndAreAddedUp() throws {
    let bench = try Bench(now: 600_000)
    for minute in UInt64(0)..<3 {
      bench.count(.accepted, milliseconds: 40)
      bench.history.tick(now: 600_001 + minute * 60)
    }
    bench.history.finish()
    // As after a restart within the same minute.
    let later = MetricsHistory(
      bench.metrics, store: bench.store, log: Log(level: .error), now: 600_125)
    bench.count(.accepted, milliseconds: 40)
    later.tick(now: 600_130)
    later.finish()
    bench.store.close()
    let reader = try bench.store.makeReader()
    var counts: [UInt64: UInt64] = [:]
    try reader.forEachHistory(in: 0..<1_000_000) { minute, bytes in
      counts[minute] = HistorySample(bytes)?.pushes.first
    }
    #expect(counts == [10_000: 1, 10_001: 1, 10_002: 2])
  }

  @Test func samplesSurviveTheirBytes() throws {
    let bench = try Bench(now: 0)
    bench.count(.accepted, milliseconds: 40)
    bench.count(.storeFailed, milliseconds: 100_000)
    for _ in 0..<300 { bench.metrics.gatewayAnswers[.fcm]?.increment(.accepted) }
    bench.metrics.gatewayAnswers[.apns]?.increment(.throttled)
    bench.metrics.gatewayLatency[.fcm]?.observe(.milliseconds(7))
    let sample = HistorySample(totals: bench.metrics)
    let bytes = sample.encode()
    #expect(HistorySample(bytes.span) == sample)
    #expect(HistorySample().encode().count == 1)
    for length in 1..<bytes.count {
      // Cut anywhere, it is refused or a part; never a crash.
      _ = HistorySample(Array(bytes.prefix(length)).span)
    }
    #expect(HistorySample([9].span) == nil)
  }

  @Test func percentilesLieWithinTheirBuckets() {
    let histogram = Histogram()
    for milliseconds in 1...100 { histogram.observe(.milliseconds(milliseconds)) }
    let percentiles = LatencyPercentiles(histogram.counts)
    #expect((45...55).contains(percentiles?.p50 ?? 0))
    #expect((90...100).contains(percentiles?.p95 ?? 0))
    #expect(LatencyPercentiles(HistorySample.noLatency) == nil)
  }
}
