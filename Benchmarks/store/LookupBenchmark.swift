import EventLoop
import Glibc
import Store

/// How long a look-up takes in a filled store whose file is in memory and mapped.
enum LookupBenchmark {
  private static let lookups = 100_000
  private static let turns = 5

  static func run(_ folder: String) throws {
    let store = try StoreBenchmark.open(folder)
    let reader = try store.makeReader()
    let count = Int(clamping: try reader.counts().totalActive)
    try touchAll(reader)
    var times: [Int] = []
    for _ in 0..<turns { times.append(try look(reader, count)) }
    times.sort()
    report("lookup: \(count) registrations, \(times[0]) ns each at best, median \(times[turns / 2]) ns")
    store.close()
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

  /// Nanoseconds of this thread's processor time for the look-up of a client at random, token opened.
  static func look(_ reader: StoreReader, _ count: Int) throws -> Int {
    let keys = try (0..<lookups).map { _ in
      try ClientKey(client: SampleRegistration.clientID(.random(in: 0..<count)))
    }
    let start = processorTime()
    var found = 0
    for key in keys where try reader.lookup(key) != nil { found += 1 }
    let nanoseconds = processorTime() - start
    if found != lookups { report("error: \(lookups - found) of \(lookups) clients were not found") }
    return nanoseconds / lookups
  }

  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
