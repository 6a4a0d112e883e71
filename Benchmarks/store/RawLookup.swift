import CLMDB
import Store

/// Look-ups with LMDB alone in a store that this process has closed: what of a look-up is LMDB's.
final class RawLookup {
  private let environment: OpaquePointer
  private let transaction: OpaquePointer
  private var table: MDB_dbi = 0

  init(_ store: String) throws {
    var created: OpaquePointer?
    mdb_env_create(&created)
    guard let created else { throw StoreError.closed }
    environment = created
    mdb_env_set_maxdbs(created, 16)
    var opening: OpaquePointer?
    var begun: OpaquePointer?
    // The transaction that opens a table has to end for the table to stay open.
    guard mdb_env_open(created, store + "/registrations", UInt32(MDB_RDONLY | MDB_NOTLS), 0o600) == 0,
      mdb_txn_begin(created, nil, UInt32(MDB_RDONLY), &opening) == 0,
      mdb_dbi_open(opening, "clients", 0, &table) == 0, mdb_txn_commit(opening) == 0,
      mdb_txn_begin(created, nil, UInt32(MDB_RDONLY), &begun) == 0, let begun
    else {
      mdb_env_close(created)
      throw StoreError.closed
    }
    transaction = begun
  }

  deinit {
    mdb_txn_abort(transaction)
    mdb_env_close(environment)
  }

  /// What the store has client `number` of `SampleRegistration` under.
  static func key(_ number: Int) -> [UInt8] { [0, 0xFF] + SampleRegistration.publicKey(number) }

  /// Finds a row in the latest commit, as the store does for each look-up, and visits its bytes, as whoever decodes
  /// it has to.
  func finds(_ key: [UInt8]) -> Bool {
    mdb_txn_reset(transaction)
    mdb_txn_renew(transaction)
    var data = MDB_val()
    let code = key.withUnsafeBufferPointer { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_get(transaction, table, &key, &data)
    }
    guard code == 0 else { return false }
    let row = UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
    var sum: UInt8 = 0
    for offset in stride(from: 0, to: row.count, by: 64) { sum |= row[offset] }
    return sum != 0
  }
}
