import CLMDB

/// What read and write transactions share: reading.
protocol Transaction: ~Copyable {
  var environment: LMDBEnvironment { get }
  var handle: OpaquePointer { get }
}

extension Transaction where Self: ~Copyable {
  /// Lends the value stored under `key` to `body`; nil when there is none.
  func get<Value>(
    _ table: Table, _ key: [UInt8], _ body: (Span<UInt8>) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    var data = MDB_val()
    let code = key.withUnsafeBufferPointer { bytes in
      var key = MDB_val(bytes)
      return mdb_get(handle, table.handle, &key, &data)
    }
    if code == MDB_NOTFOUND { return nil }
    try environment.check(code, "reading")
    let bytes = data.bytes
    return try body(Span(_unsafeElements: bytes))
  }

  /// A copy of the value stored under `key`; nil when there is none.
  func copy(_ table: Table, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
    try get(table, key) { (value: Span<UInt8>) throws(StoreError) -> [UInt8] in [UInt8](copying: value) }
  }

  func contains(_ table: Table, _ key: [UInt8]) throws(StoreError) -> Bool {
    try get(table, key) { (_: Span<UInt8>) throws(StoreError) -> Bool in true } ?? false
  }

  /// Entries in `table`, as LMDB counts them: no scan.
  func count(_ table: Table) throws(StoreError) -> Int {
    var stat = MDB_stat()
    try environment.check(mdb_stat(handle, table.handle, &stat), "counting")
    return stat.ms_entries
  }

  /// Visits entries in key order, beginning with the first key at or after `start`, while `body` returns true.
  /// `body` must not write to the table.
  func scan(
    _ table: Table, from start: [UInt8],
    _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var cursor = try Cursor(self, table)
    var more = try cursor.seek(start)
    while more {
      let key = cursor.key.bytes
      let value = cursor.value.bytes
      guard try body(Span(_unsafeElements: key), Span(_unsafeElements: value)) else { return }
      more = try cursor.next()
    }
  }

  /// Copies of at most `limit` keys from `start` on, for as long as `isWanted`.
  func keys(
    _ table: Table, from start: [UInt8], limit: Int, while isWanted: (Span<UInt8>) -> Bool
  ) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try scan(table, from: start) { (key, _) throws(StoreError) in
      guard keys.count < limit, isWanted(key) else { return false }
      keys.append([UInt8](copying: key))
      return true
    }
    return keys
  }
}

extension MDB_val {
  /// Lends `bytes` to LMDB for one call; LMDB does not write through it.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// What LMDB points at: valid until the next write or the end of the transaction.
  var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: mv_data?.assumingMemoryBound(to: UInt8.self), count: mv_size)
  }
}

extension [UInt8] {
  init(copying span: Span<UInt8>) {
    self = span.withUnsafeBufferPointer { [UInt8]($0) }
  }
}
