import EventLoop
import Glibc
import Store

/// How long a look-up takes in a filled store whose file is in memory and mapped.
enum LookupBenchmark {
  private static let lookups = 100_000
  private static let turns = 5

  static func run(_ folder: String) throws {
    let count = try inStore(folder)
    // LMDB must not have one environment open twice in a process: only now.
    try inLMDB(folder, count)
  }

  /// The store's look-up: registration found and decoded, token opened. The number of registrations.
  private static func inStore(_ folder: String) throws -> Int {
    let store = try StoreBenchmark.open(folder)
    defer { store.close() }
    let reader = try store.makeReader()
    let count = Int(clamping: try reader.counts().totalActive)
    try touchAll(reader)
    try time(
      "lookup", count, key: { try ClientKey(client: SampleRegistration.clientID($0)) },
      find: { try reader.lookup($0) != nil })
    return count
  }

  /// The same rows found by LMDB alone.
  private static func inLMDB(_ folder: String, _ count: Int) throws {
    let raw = try RawLookup(folder)
    try time(
      "LMDB alone", count, key: { RawLookup.key($0) }, find: { raw.finds($0) })
  }

  /// Visits each page once: the first touch of a page is the kernel's work, whatever the store's size.
  private static func touchAll(_ reader: StoreReader) throws {
    var last: String?
    while true {
      let page = try reader.list(after: last, limit: 10_000)
      guard let end = page.last else { return }
      last = end.key.clientID
    }
  }

  /// This thread's processor time for `find` with the `key` of clients at random.
  @inline(__always)
  private static func time<Key>(
    _ what: String, _ count: Int, key: (_ client: Int) throws -> Key, find: (Key) throws -> Bool
  ) throws {
    var times: [Int] = []
    for _ in 0..<turns {
      let keys = try (0..<lookups).map { _ in try key(.random(in: 0..<count)) }
      let start = processorTime()
      var found = 0
      for key in keys where try find(key) { found += 1 }
      times.append((processorTime() - start) / lookups)
      if found != lookups { report("error: \(lookups - found) of \(lookups) clients were not found") }
    }
    times.sort()
    report("\(what): \(count) registrations, \(times[0]) ns each at best, median \(times[turns / 2]) ns")
  }

  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
