/// The table of the `deliveries` environment that counts the pushes to each client.
struct ActivityTable: Sendable {
  /// Client key → `PushActivity`.
  let table: Table

  func activity(
    _ key: [UInt8], in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> PushActivity? {
    try transaction.get(table, key) { (bytes) throws(StoreError) in PushActivity(bytes) } ?? nil
  }

  /// Adds what was noted; nil removes.
  func apply(
    _ changes: [[UInt8]: PushActivity?], in transaction: inout WriteTransaction
  ) throws(StoreError) {
    for (key, change) in changes {
      guard let change else {
        try transaction.delete(table, key)
        continue
      }
      try transaction.requireRoomToGrow()
      var activity = change
      if var earlier = try self.activity(key, in: transaction) {
        earlier.add(change)
        activity = earlier
      }
      try transaction.put(table, key, activity.encode())
    }
  }

  /// Looks at no more than `limit` entries from `start` on and removes those before `cutoff` (seconds since
  /// the epoch). Where to go on; empty at the end.
  func expire(
    before cutoff: UInt64, from start: [UInt8], limit: Int, in transaction: inout WriteTransaction
  ) throws(StoreError) -> [UInt8] {
    var due: [[UInt8]] = []
    var visited = 0
    var last: [UInt8] = []
    try transaction.scan(table, from: start) { (key, value) throws(StoreError) in
      visited += 1
      last = [UInt8](copying: key)
      // What can't be read is of no use to anybody.
      if (PushActivity(value)?.lastTime ?? 0) < cutoff { due.append(last) }
      return visited < limit
    }
    for key in due { try transaction.delete(table, key) }
    return visited < limit ? [] : last + [0]
  }
}
