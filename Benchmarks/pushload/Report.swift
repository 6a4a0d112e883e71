import JSON

/// What a measurement came to, as one line of JSON.
struct Report {
  private let result: LoadResult
  private let latencies: [UInt32]

  init(_ result: LoadResult) {
    self.result = result
    latencies = result.latencies.sorted()
  }

  /// Every request was answered 202.
  var isClean: Bool {
    result.lost == 0 && result.failures.isEmpty && result.statuses.keys.allSatisfy { $0 == 202 }
  }

  var json: String {
    let nanoseconds = max(1, result.duration.wholeNanoseconds)
    let answers = latencies.count
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("requests", UInt64(answers))
    writer.key("seconds")
    writer.value(Double(nanoseconds / 1_000_000) / 1000)
    writer.member("requests_per_second", UInt64(Double(answers) * 1e9 / Double(nanoseconds)))
    writer.member("p50_us", UInt64(percentile(0.5)))
    writer.member("p99_us", UInt64(percentile(0.99)))
    writer.member("max_us", UInt64(latencies.last ?? 0))
    writer.key("statuses")
    writer.beginObject()
    for (status, count) in result.statuses.sorted(by: { $0.key < $1.key }) {
      writer.member(String(status), UInt64(count))
    }
    writer.endObject()
    writer.member("lost", UInt64(result.lost))
    writer.key("failures")
    writer.beginObject()
    for (reason, count) in result.failures.sorted(by: { $0.key < $1.key }) {
      writer.member(reason, UInt64(count))
    }
    writer.endObject()
    writer.endObject()
    return writer.string
  }

  private func percentile(_ share: Double) -> UInt32 {
    guard !latencies.isEmpty else { return 0 }
    return latencies[min(latencies.count - 1, Int(share * Double(latencies.count)))]
  }
}
