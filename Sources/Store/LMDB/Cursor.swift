import CLMDB

/// A position in one table; lives no longer than its transaction (`Transaction.scan` sees to that).
struct Cursor: ~Copyable {
  private let handle: OpaquePointer
  private let environment: LMDBEnvironment
  private(set) var key = MDB_val()
  private(set) var value = MDB_val()

  init<Owner: Transaction & ~Copyable>(
    _ transaction: borrowing Owner, _ table: Table
  ) throws(StoreError) {
    environment = transaction.environment
    var cursor: OpaquePointer?
    let code = mdb_cursor_open(transaction.handle, table.handle, &cursor)
    guard code == 0, let cursor else {
      throw environment.error(code, "opening a cursor")
    }
    handle = cursor
  }

  deinit {
    mdb_cursor_close(handle)
  }

  /// Moves to the first key at or after `start`; an empty `start` is the beginning. False at the end.
  mutating func seek(_ start: [UInt8]) throws(StoreError) -> Bool {
    if start.isEmpty { return try move(MDB_FIRST) }
    // The key must outlive the call only: LMDB replaces it by its own.
    let code = start.withUnsafeBufferPointer { bytes in
      key = MDB_val(bytes)
      return mdb_cursor_get(handle, &key, &value, MDB_SET_RANGE)
    }
    return try found(code)
  }

  /// Moves to the next key. False at the end.
  mutating func next() throws(StoreError) -> Bool {
    try move(MDB_NEXT)
  }

  private mutating func move(_ operation: MDB_cursor_op) throws(StoreError) -> Bool {
    try found(mdb_cursor_get(handle, &key, &value, operation))
  }

  private func found(_ code: Int32) throws(StoreError) -> Bool {
    if code == MDB_NOTFOUND { return false }
    try environment.check(code, "scanning")
    return true
  }
}
