import Bytes
import CLMDB
import EventLoop
import Glibc
import Store

/// Durable registrations a second at several concurrencies, against raw LMDB with a sync for each put, by
/// turns so that both meet the same disk.
enum DurableBenchmark {
  static func run(_ folder: String) throws {
    mkdir(folder, 0o700)
    let store = try StoreBenchmark.open(folder + "/store")
    let raw = try RawLMDB(folder + "/raw")
    var next = 0
    for _ in 0..<3 {
      let base = raw.putsPerSecond(seconds: 2)
      report("raw: \(Int(base)) puts/s, one sync each")
      for concurrency in [1, 64, 512] {
        let rate = registrationsPerSecond(store, concurrency, seconds: 2, &next)
        let ratio = (rate / base * 10).rounded() / 10
        report("durable: concurrency \(concurrency), \(Int(rate)) registrations/s, \(ratio) times raw")
      }
    }
    store.close()
  }

  /// Keeps `concurrency` registrations waiting: each answer brings the next.
  private static func registrationsPerSecond(
    _ store: Store, _ concurrency: Int, seconds: Int, _ next: inout Int
  ) -> Double {
    let run = Run(store, first: next, until: .now() + .seconds(seconds))
    let start = MonotonicTime.now()
    for _ in 0..<concurrency { run.submit() }
    run.ended.wait()
    let elapsed = Double((MonotonicTime.now() - start).wholeMilliseconds) / 1000
    next = run.next
    return Double(run.acknowledged) / elapsed
  }

  private final class Run: Sendable {
    private struct State {
      var next: Int
      var acknowledged = 0
      var waiting = 0
    }
    let ended = Ended()
    private let store: Store
    private let deadline: MonotonicTime
    private let state: Locked<State>

    init(_ store: Store, first: Int, until deadline: MonotonicTime) {
      self.store = store
      self.deadline = deadline
      state = Locked(State(next: first))
    }

    var next: Int { state.withLock { $0.next } }
    var acknowledged: Int { state.withLock { $0.acknowledged } }

    func submit() {
      let number = state.withLock { state in
        state.next += 1
        state.waiting += 1
        return state.next - 1
      }
      guard let registration = try? SampleRegistration.make(number) else { return }
      store.register(registration) { [self] result in
        let isLast = state.withLock { state in
          if case .success = result { state.acknowledged += 1 }
          state.waiting -= 1
          return state.waiting == 0
        }
        if MonotonicTime.now() < deadline {
          submit()
        } else if isLast {
          ended.give()
        }
      }
    }
  }

  private final class Ended: Sendable {
    private let rendezvous = Rendezvous<Bool>()
    func give() { rendezvous.give(true) }
    func wait() { _ = rendezvous.wait() }
  }
}

/// LMDB without anything of ours: one put of 200 bytes under 48 in each transaction.
private final class RawLMDB {
  private let environment: OpaquePointer
  private var table: MDB_dbi = 0
  private var next: UInt64 = 0

  init(_ folder: String) throws {
    mkdir(folder, 0o700)
    var created: OpaquePointer?
    mdb_env_create(&created)
    guard let created else { throw StoreError.closed }
    environment = created
    mdb_env_set_mapsize(environment, 1 << 32)
    guard mdb_env_open(environment, folder, 0, 0o600) == 0 else { throw StoreError.closed }
    var transaction: OpaquePointer?
    mdb_txn_begin(environment, nil, 0, &transaction)
    mdb_dbi_open(transaction, nil, 0, &table)
    mdb_txn_commit(transaction)
  }

  deinit {
    mdb_env_close(environment)
  }

  func putsPerSecond(seconds: Int) -> Double {
    var value = [UInt8](repeating: 7, count: 200)
    let start = MonotonicTime.now()
    let end = start + .seconds(seconds)
    var count = 0
    while MonotonicTime.now() < end {
      next += 1
      var key = [UInt8](repeating: 0, count: 48)
      for index in 0..<8 {
        key[index] = UInt8(truncatingIfNeeded: next &* 0x9E37_79B9_7F4A_7C15 >> UInt64(index * 8))
      }
      var transaction: OpaquePointer?
      guard mdb_txn_begin(environment, nil, 0, &transaction) == 0 else { break }
      let code = key.withUnsafeMutableBytes { keyBytes in
        value.withUnsafeMutableBytes { valueBytes in
          var key = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
          var value = MDB_val(mv_size: valueBytes.count, mv_data: valueBytes.baseAddress)
          return mdb_put(transaction, table, &key, &value, 0)
        }
      }
      guard code == 0, mdb_txn_commit(transaction) == 0 else { break }
      count += 1
    }
    return Double(count) / (Double((MonotonicTime.now() - start).wholeMilliseconds) / 1000)
  }
}
