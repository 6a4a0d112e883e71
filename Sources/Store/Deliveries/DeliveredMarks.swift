/// The tables of the `deliveries` environment: which pushes were accepted by a gateway, and when.
struct DeliveredMarks: Sendable {
  let environment: LMDBEnvironment
  /// Delivery key → seconds since the epoch (8 bytes, big-endian).
  let marks: Table
  /// Seconds (8 bytes, big-endian), delivery key → nothing: expiry without a scan.
  let expiry: Table
  let activity: ActivityTable
  let history: HistoryTable
  let actions: ActionTable

  init(_ environment: LMDBEnvironment) throws(StoreError) {
    self.environment = environment
    let meta: Table
    let activity: Table
    let history: Table
    let actions: Table
    (meta, marks, expiry, activity, history, actions) = try environment.openingTables {
      (transaction) throws(StoreError) in
      let meta = try environment.openTable("meta", in: transaction)
      let marks = try environment.openTable("marks", in: transaction)
      let expiry = try environment.openTable("expiry", in: transaction)
      let activity = try environment.openTable("activity", in: transaction)
      let history = try environment.openTable("history", in: transaction)
      let actions = try environment.openTable("actions", in: transaction)
      try Schema.deliveries.prepare(meta, in: &transaction)
      return (meta, marks, expiry, activity, history, actions)
    }
    self.activity = ActivityTable(table: activity)
    self.history = HistoryTable(table: history)
    self.actions = ActionTable(table: actions)
    try environment.refuseIfCutShort(tables: [meta, marks, expiry, activity, history, actions])
  }

  func isDelivered(
    _ key: DeliveryKey, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> Bool {
    try transaction.contains(marks, key.bytes)
  }

  /// Marks `key` as delivered at `time` (seconds since the epoch); marking again moves the time forward.
  func mark(
    _ key: DeliveryKey, at time: UInt64, in transaction: inout WriteTransaction
  ) throws(StoreError) {
    try transaction.requireRoomToGrow()
    if let earlier = try self.time(of: key.bytes, in: transaction) {
      guard earlier < time else { return }
      try transaction.delete(expiry, expiryKey(earlier, key.bytes))
    }
    var value: [UInt8] = []
    value.append(bigEndian: time)
    try transaction.put(marks, key.bytes, value)
    try transaction.put(expiry, expiryKey(time, key.bytes), [])
  }

  /// Removes at most `limit` marks made at or before `cutoff` (seconds since the epoch), oldest first.
  /// The number removed; less than `limit` means that none is left.
  func expire(
    through cutoff: UInt64, limit: Int, in transaction: inout WriteTransaction
  ) throws(StoreError) -> Int {
    let due = try transaction.keys(expiry, from: [], limit: limit) { entry in
      var fields = entry
      return fields.takeUInt64().map { $0 <= cutoff } ?? false
    }
    for entry in due {
      let key = [UInt8](entry.dropFirst(8))
      // A younger mark under the same key stays, whatever the index says.
      if let time = try time(of: key, in: transaction), time <= cutoff {
        try transaction.delete(marks, key)
      }
      try transaction.delete(expiry, entry)
    }
    return due.count
  }

  private func time(
    of key: [UInt8], in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> UInt64? {
    try transaction.get(marks, key) { (bytes) throws(StoreError) -> UInt64 in
      var fields = bytes
      guard let time = fields.takeUInt64() else {
        throw .damaged(path: environment.path, detail: "a delivered mark can't be read")
      }
      return time
    }
  }

  private func expiryKey(_ time: UInt64, _ key: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + key.count)
    bytes.append(bigEndian: time)
    bytes.append(contentsOf: key)
    return bytes
  }
}
