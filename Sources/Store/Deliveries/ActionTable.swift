/// The table of the `deliveries` environment that keeps what was done by way of the admin page.
struct ActionTable: Sendable {
  /// Group (1 byte: 0 signed in, 1 not), milliseconds since the epoch and a number that keeps those of the same
  /// millisecond apart (8 and 4 bytes, big-endian) → `ActionRecord`.
  let table: Table
  /// Records kept of each group.
  static let limit = 500
  /// Old records removed in one go.
  private static let expiryLimit = 64

  /// Adds a record, and removes the oldest of its group: those before `cutoff` (milliseconds since the epoch) and
  /// those above `limit`.
  func add(
    _ record: ActionRecord, expiringBefore cutoff: UInt64, in transaction: inout WriteTransaction
  ) throws(StoreError) {
    try transaction.requireRoomToGrow()
    let group: UInt8 = record.isSignedIn ? 0 : 1
    var number: UInt32 = 0
    while try transaction.contains(table, Self.key(group, record.time, number)) { number += 1 }
    try transaction.put(table, Self.key(group, record.time, number), record.encode())
    var keys: [[UInt8]] = []
    var outdated = 0
    try transaction.scan(table, from: [group]) { (key, _) throws(StoreError) in
      guard let (found, time) = Self.parse(key), found == group else { return false }
      keys.append([UInt8](copying: key))
      if time < cutoff { outdated += 1 }
      return true
    }
    let due = max(outdated, keys.count - Self.limit)
    for key in keys.prefix(min(due, Self.expiryLimit)) { try transaction.delete(table, key) }
  }

  /// Visits what was kept since `cutoff`: one group after the other, each in the order of time.
  func forEach(
    since cutoff: UInt64, _ transaction: borrowing some Transaction & ~Copyable,
    _ body: (ActionRecord) -> Void
  ) throws(StoreError) {
    try transaction.scan(table, from: []) { (key, value) throws(StoreError) in
      // What cannot be read is of no use to anybody.
      if let (group, time) = Self.parse(key), time >= cutoff,
        let record = ActionRecord(time: time, isSignedIn: group == 0, value)
      {
        body(record)
      }
      return true
    }
  }

  /// Removes some of those before `cutoff` (milliseconds since the epoch), of either group.
  func expire(before cutoff: UInt64, in transaction: inout WriteTransaction) throws(StoreError) {
    for group in [UInt8(0), 1] {
      let due = try transaction.keys(table, from: [group], limit: Self.expiryLimit) { key in
        guard let (found, time) = Self.parse(key) else { return false }
        return found == group && time < cutoff
      }
      for key in due { try transaction.delete(table, key) }
    }
  }

  private static func key(_ group: UInt8, _ time: UInt64, _ number: UInt32) -> [UInt8] {
    var key = [group]
    key.append(bigEndian: time)
    key.append(bigEndian: number)
    return key
  }

  private static func parse(_ key: Span<UInt8>) -> (group: UInt8, time: UInt64)? {
    var fields = key
    guard let group = fields.takeByte(), let time = fields.takeUInt64() else { return nil }
    return (group, time)
  }
}

extension Store {
  /// Actions kept at most, of those who had signed in and again of those who had not.
  public static var actionLimit: Int { ActionTable.limit }
  /// Milliseconds for which an action is kept at most.
  public static let actionRetention: UInt64 = 90 * 86_400_000

  /// Keeps what was done, the latest `actionLimit` and none before `cutoff` (milliseconds since the epoch). As with
  /// delivered marks, the last second may be lost with the machine's power.
  public func keepAction(
    _ record: ActionRecord, expiringBefore cutoff: UInt64, completion: @escaping Completion<Void>
  ) {
    guard let deliveries else { return completion(.failure(.closed)) }
    let actions = deliveries.actions
    submitDeliveries(
      { (transaction) throws(StoreError) in
        try actions.add(record, expiringBefore: cutoff, in: &transaction)
      }, completion: completion)
  }
}

extension StoreReader {
  /// What was done since `cutoff` (milliseconds since the epoch), the oldest first. Nothing in a tool.
  public func actions(since cutoff: UInt64) throws(StoreError) -> [ActionRecord] {
    guard let deliveries, let deliverySlot else { return [] }
    let transaction = try deliverySlot.begin()
    var records: [ActionRecord] = []
    try deliveries.actions.forEach(since: cutoff, transaction) { records.append($0) }
    // Stable: those of the same millisecond stay in order.
    return records.sorted { $0.time < $1.time }
  }
}
