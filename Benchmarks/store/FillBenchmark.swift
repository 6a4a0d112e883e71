import EventLoop
import Glibc
import Store

/// Fills a store step by step; at each step, how long it took and how large the file is.
enum FillBenchmark {
  /// In one transaction: token hashes are spread over the whole index, so small ones would write each of its
  /// pages again and again.
  private static let batch = 500_000

  static func run(_ folder: String, counts: [Int]) throws {
    let store = try StoreBenchmark.open(folder)
    var filled = 0
    for count in counts {
      let start = MonotonicTime.now()
      let before = filled
      while filled < count {
        let end = min(count, filled + batch)
        try add(filled..<end, to: store)
        filled = end
      }
      let seconds = Double((MonotonicTime.now() - start).wholeMilliseconds) / 1000
      report("fill: \(before) to \(count) in \(seconds) s")
      let bytes = try store.status().registrations.usedBytes
      report("size: \(count) registrations, \(bytes) bytes, \(Double(bytes) / Double(count)) each")
    }
    store.close()
  }

  private static func add(_ numbers: Range<Int>, to store: Store) throws {
    var records: [ImportedRegistration] = []
    records.reserveCapacity(numbers.count)
    for number in numbers {
      records.append(
        ImportedRegistration(registration: try SampleRegistration.make(number), createdAt: 1, updatedAt: 1))
    }
    let done = Rendezvous<Bool>()
    store.importRegistrations(records) { result in
      if case .failure(let error) = result { report("error: \(error)") }
      done.give(true)
    }
    _ = done.wait()
  }
}
