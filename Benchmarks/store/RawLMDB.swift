import CLMDB
import EventLoop
import Glibc
import Store

/// LMDB without anything of ours: records of zeros and sevens under keys that are spread over the whole table.
final class RawLMDB {
  /// Bytes of one key and its value.
  struct Put {
    var key: Int
    var value: Int
  }

  /// One put of about a registration's size.
  static let samplePut = Put(key: 48, value: 200)
  /// A registration of `SampleRegistration` and its entry in the token index, each in a table of its own.
  static let registrationPuts = [Put(key: 34, value: 179), Put(key: 16, value: 34)]

  private let environment: OpaquePointer
  private let record: [Put]
  private var tables: [MDB_dbi] = []
  private var next: UInt64 = 0

  /// One table for each put of a record.
  init(_ folder: String, record: [Put]) throws {
    mkdir(folder, 0o700)
    var created: OpaquePointer?
    mdb_env_create(&created)
    guard let created else { throw StoreError.closed }
    environment = created
    self.record = record
    mdb_env_set_mapsize(environment, 1 << 34)
    mdb_env_set_maxdbs(environment, 4)
    guard mdb_env_open(environment, folder, 0, 0o600) == 0 else { throw StoreError.closed }
    var transaction: OpaquePointer?
    mdb_txn_begin(environment, nil, 0, &transaction)
    for number in record.indices {
      var table: MDB_dbi = 0
      // A single put goes into the table without a name, which costs no page of its own.
      let name = record.count == 1 ? nil : "table \(number)"
      guard mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &table) == 0 else { throw StoreError.closed }
      tables.append(table)
    }
    mdb_txn_commit(transaction)
  }

  deinit {
    mdb_env_close(environment)
  }

  /// Commits `perTransaction` records at a time, each commit on the disk before the next.
  func recordsPerSecond(perTransaction: Int, seconds: Int) -> Double {
    let start = MonotonicTime.now()
    let end = start + .seconds(seconds)
    var count = 0
    while MonotonicTime.now() < end {
      var transaction: OpaquePointer?
      guard mdb_txn_begin(environment, nil, 0, &transaction) == 0 else { break }
      for _ in 0..<perTransaction { putRecord(transaction) }
      guard mdb_txn_commit(transaction) == 0 else { break }
      count += perTransaction
    }
    return Double(count) / (Double((MonotonicTime.now() - start).wholeMilliseconds) / 1000)
  }

  private func putRecord(_ transaction: OpaquePointer?) {
    next += 1
    for (put, table) in zip(record, tables) {
      var key = [UInt8](repeating: 0, count: put.key)
      for index in 0..<8 {
        // A factor for each table: a client's two keys have nothing to do with each other.
        let spread = next &* (0x9E37_79B9_7F4A_7C15 &+ UInt64(table) &* 0x632B_E59B_D9B4_E3A2)
        key[index] = UInt8(truncatingIfNeeded: spread >> UInt64(index * 8))
      }
      var value = [UInt8](repeating: 7, count: put.value)
      let code = key.withUnsafeMutableBytes { keyBytes in
        value.withUnsafeMutableBytes { valueBytes in
          var key = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
          var value = MDB_val(mv_size: valueBytes.count, mv_data: valueBytes.baseAddress)
          return mdb_put(transaction, table, &key, &value, 0)
        }
      }
      if code != 0 { report("error: raw LMDB's put gave \(code)") }
    }
  }
}
