import Bytes
import EventLoop
import Glibc
import Store

/// Durable registrations a second at several concurrencies, against raw LMDB by turns so that all meet the same disk:
/// one put and one sync a transaction, 100 puts a transaction (what sharing a sync is worth on this disk), and 512
/// times a registration's two records a transaction (the most that a store on LMDB could do with 512 at once).
///
/// Each side fills a store of its own that begins empty, since a larger one has more pages to write.
enum DurableBenchmark {
  private static let turns = 3
  private static let seconds = 2

  static func run(_ folder: String) throws {
    mkdir(folder, 0o700)
    let worker = try LoopThread(name: "worker")
    let single = try RawLMDB(folder + "/single", record: [RawLMDB.samplePut])
    let hundred = try RawLMDB(folder + "/hundred", record: [RawLMDB.samplePut])
    let whole = try RawLMDB(folder + "/whole", record: RawLMDB.registrationPuts)
    var contenders: [(name: String, rate: () -> Double)] = [
      ("raw, 1 put a transaction", { single.recordsPerSecond(perTransaction: 1, seconds: seconds) }),
      ("raw, 100 puts a transaction", { hundred.recordsPerSecond(perTransaction: 100, seconds: seconds) }),
      (
        "raw, 512 registrations' records a transaction",
        { whole.recordsPerSecond(perTransaction: 512, seconds: seconds) }
      ),
    ]
    var stores: [Store] = []
    for concurrency in [1, 64, 512] {
      let store = try StoreBenchmark.open(folder + "/store-\(concurrency)")
      stores.append(store)
      var next = 0
      contenders.append(
        (
          "registrations, \(concurrency) at once",
          { registrationsPerSecond(store, worker.loop, concurrency, seconds: seconds, &next) }
        ))
    }
    var rates = contenders.map { _ in [Double]() }
    for _ in 0..<turns {
      for (index, contender) in contenders.enumerated() { rates[index].append(contender.rate()) }
    }
    let medians = rates.map { $0.sorted()[turns / 2] }
    for (contender, median) in zip(contenders, medians) {
      let ratio = (median / medians[0] * 10).rounded() / 10
      report("durable: \(contender.name): \(Int(median)) a second, \(ratio) times the first")
    }
    for store in stores { store.close() }
    worker.stopAndJoin()
  }

  /// Keeps `concurrency` registrations waiting: each answer brings the next, which is prepared on another thread than
  /// the writer's, as in a server.
  private static func registrationsPerSecond(
    _ store: Store, _ worker: EventLoop, _ concurrency: Int, seconds: Int, _ next: inout Int
  ) -> Double {
    let run = Run(store, worker, concurrency, first: next, until: .now() + .seconds(seconds))
    let start = MonotonicTime.now()
    for _ in 0..<concurrency { worker.execute { run.submit() } }
    run.ended.wait()
    let elapsed = Double((MonotonicTime.now() - start).wholeMilliseconds) / 1000
    next = run.next
    return Double(run.acknowledged) / elapsed
  }

  private final class Run: Sendable {
    private struct State {
      var next: Int
      var acknowledged = 0
      /// Registrations under way, to be prepared or with the store.
      var waiting: Int
    }
    let ended = Ended()
    private let store: Store
    private let worker: EventLoop
    private let deadline: MonotonicTime
    private let state: Locked<State>

    init(_ store: Store, _ worker: EventLoop, _ concurrency: Int, first: Int, until deadline: MonotonicTime) {
      self.store = store
      self.worker = worker
      self.deadline = deadline
      state = Locked(State(next: first, waiting: concurrency))
    }

    var next: Int { state.withLock { $0.next } }
    var acknowledged: Int { state.withLock { $0.acknowledged } }

    func submit() {
      let number = state.withLock { state in
        state.next += 1
        return state.next - 1
      }
      guard let registration = try? SampleRegistration.make(number) else { return }
      store.register(registration) { [self] result in
        let goesOn = MonotonicTime.now() < deadline
        let isLast = state.withLock { state in
          if case .success = result { state.acknowledged += 1 }
          if !goesOn { state.waiting -= 1 }
          return state.waiting == 0
        }
        if goesOn { worker.execute { self.submit() } }
        if isLast { ended.give() }
      }
    }
  }

  private final class Ended: Sendable {
    private let rendezvous = Rendezvous<Bool>()
    func give() { rendezvous.give(true) }
    func wait() { _ = rendezvous.wait() }
  }
}
