import CLMDB

/// A write transaction: aborted at the end of its scope unless committed. LMDB lets one thread at a time in;
/// begin and commit must happen on one thread.
struct WriteTransaction: Transaction, ~Copyable {
  let environment: LMDBEnvironment
  let handle: OpaquePointer
  /// Writes tried so far. An operation that threw without moving this has left the transaction as it was.
  private(set) var writes = 0
  /// How often something more may be added before only the reserve would be left; nil before the first.
  private var growthLeft: Int?
  /// Pages that an operation which adds something may take: a leaf or two of each table, and splits.
  private static let pagesPerGrowth = 8
  private var isOpen = true

  /// Waits for another process's write transaction, if any.
  init(_ environment: LMDBEnvironment) throws(StoreError) {
    self.environment = environment
    handle = try environment.beginTransaction(flags: 0)
  }

  deinit {
    if isOpen { mdb_txn_abort(handle) }
  }

  /// Makes the writes visible and, in a durable environment, waits until they are on the disk.
  /// After an error nothing of them is there.
  consuming func commit() throws(StoreError) {
    // LMDB frees the handle whatever the outcome.
    isOpen = false
    try environment.check(mdb_txn_commit(handle), "committing")
  }

  mutating func put(_ table: Table, _ key: [UInt8], _ value: [UInt8]) throws(StoreError) {
    writes += 1
    let code = key.withUnsafeBufferPointer { keyBytes in
      value.withUnsafeBufferPointer { valueBytes in
        var key = MDB_val(keyBytes)
        var value = MDB_val(valueBytes)
        return mdb_put(handle, table.handle, &key, &value, 0)
      }
    }
    try environment.check(code, "writing")
  }

  /// False when there was nothing under `key`.
  @discardableResult
  mutating func delete(_ table: Table, _ key: [UInt8]) throws(StoreError) -> Bool {
    writes += 1
    let code = key.withUnsafeBufferPointer { bytes in
      var key = MDB_val(bytes)
      return mdb_del(handle, table.handle, &key, nil)
    }
    if code == MDB_NOTFOUND { return false }
    try environment.check(code, "deleting")
    return true
  }

  /// Removes every entry of `table`.
  mutating func clear(_ table: Table) throws(StoreError) {
    writes += 1
    try environment.check(mdb_drop(handle, table.handle, 0), "clearing")
  }

  /// Removes `table` itself; its handle is good for nothing afterwards.
  mutating func remove(_ table: Table) throws(StoreError) {
    writes += 1
    try environment.check(mdb_drop(handle, table.handle, 1), "removing a table")
  }

  /// Throws `mapFull` when only the reserve is left, which is kept for deletes: LMDB copies pages to delete,
  /// so a map filled to the brim could never be emptied.
  mutating func requireRoomToGrow() throws(StoreError) {
    guard let left = growthLeft else {
      let measured = try measuredGrowth()
      guard measured > 0 else { throw environment.mapFull }
      growthLeft = measured - 1
      return
    }
    growthLeft = left - 1
  }

  /// True when more in this transaction might use up the reserve: how full the map is shows after a commit only.
  var shouldCommit: Bool { growthLeft.map { $0 <= 0 } ?? false }

  /// 0 when there is no room.
  private func measuredGrowth() throws(StoreError) -> Int {
    let space = environment.spaceInUse()
    if space.highestPage < space.usablePages {
      return max(1, (space.usablePages - space.highestPage + space.reservedPages / 2) / Self.pagesPerGrowth)
    }
    // Past the usable size only pages that were freed may be used; deep trees need a handful a change.
    // LMDB lets only read transactions look into its list of free pages.
    return try ReadSlot(environment).begin().freePageCount(atLeast: 1 << 16) / 64
  }
}
