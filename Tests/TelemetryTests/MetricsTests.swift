import Telemetry
import Testing

private enum Outcome: String, CaseIterable { case accepted, refused }

@Suite struct MetricsTests {
  private func text(_ registry: MetricsRegistry) -> String {
    String(decoding: registry.render(), as: UTF8.self)
  }

  @Test func rendersCountersAndGauges() {
    let registry = MetricsRegistry()
    let pushes = registry.counter("pushes_total", help: "Pushes.", labels: [("gateway", "apns")])
    let fcm = registry.counter("pushes_total", help: "Pushes.", labels: [("gateway", "fcm")])
    let open = registry.gauge("connections_open", help: "Open connections.")
    registry.gauge("load", help: "Load.") { 0.5 }
    registry.gauge("ratio", help: "Nothing by nothing.") { .nan }
    registry.gauge("expiry", help: "Of what is not there.") { nil }
    pushes.increment()
    pushes.increment(by: 2)
    fcm.increment()
    open.set(5)
    open.add(-7)
    #expect(
      text(registry) == """
        # HELP pushes_total Pushes.
        # TYPE pushes_total counter
        pushes_total{gateway="apns"} 3
        pushes_total{gateway="fcm"} 1
        # HELP connections_open Open connections.
        # TYPE connections_open gauge
        connections_open -2
        # HELP load Load.
        # TYPE load gauge
        load 0.5
        # HELP ratio Nothing by nothing.
        # TYPE ratio gauge
        ratio NaN
        # HELP expiry Of what is not there.
        # TYPE expiry gauge

        """)
  }

  @Test func escapesHelpAndLabelValues() {
    let registry = MetricsRegistry()
    _ = registry.counter("c", help: "a\\b\n\"c\"", labels: [("l", "x\"y\\z\n"), ("m", "é")])
    #expect(
      text(registry) == #"""
        # HELP c a\\b\n"c"
        # TYPE c counter
        c{l="x\"y\\z\n",m="é"} 0

        """#)
  }

  @Test func bucketsAreInclusiveAndCumulative() {
    let registry = MetricsRegistry()
    let latency = registry.histogram("wait_seconds", help: "Wait.", labels: [("g", "a")], bounds: [1, 10])
    latency.observe(.milliseconds(1))
    latency.observe(.microseconds(1001))
    latency.observe(.milliseconds(10))
    latency.observe(.seconds(2))
    latency.observe(.seconds(-1))
    #expect(
      text(registry) == """
        # HELP wait_seconds Wait.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{g="a",le="0.001"} 2
        wait_seconds_bucket{g="a",le="0.01"} 4
        wait_seconds_bucket{g="a",le="+Inf"} 5
        wait_seconds_sum{g="a"} 2.012001
        wait_seconds_count{g="a"} 5

        """)
    #expect(latency.snapshot.cumulative == [2, 4])
    #expect(latency.snapshot.totalMicroseconds == 2_012_001)
  }

  @Test func declaringTwiceGivesTheSameSeries() {
    let registry = MetricsRegistry()
    registry.counter("c", help: "C.", labels: [("l", "x")]).increment()
    let again = registry.counter("c", help: "C.", labels: [("l", "x")])
    again.increment()
    #expect(again.value == 2)
    #expect(registry.counter("c", help: "C.", labels: [("l", "y")]).value == 0)
  }

  @Test func aFamilyHasOneCounterForEachCase() {
    let registry = MetricsRegistry()
    let family = registry.counters("o_total", help: "O.", by: "outcome", Outcome.self)
    family.increment(.refused)
    #expect(family[.refused] == 1)
    #expect(family[.accepted] == 0)
    #expect(text(registry).contains("o_total{outcome=\"accepted\"} 0\no_total{outcome=\"refused\"} 1\n"))
  }

  @Test func countsFromManyThreadsAreAllThere() async {
    let counter = Counter()
    let histogram = Histogram()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            counter.increment()
            histogram.observe(.milliseconds(3))
          }
        }
      }
    }
    #expect(counter.value == 8000)
    #expect(histogram.snapshot.count == 8000)
  }
}
