/// The table of the `deliveries` environment that keeps numbers over time: bytes of the caller's by minute.
struct HistoryTable: Sendable {
  /// Minutes since the epoch (8 bytes, big-endian) → bytes.
  let table: Table
  /// Old entries removed in one go: more than one, so that a shorter retention takes hold.
  private static let expiryLimit = 64

  /// Replaces the bytes of `minute` by what `change` makes of them, and removes some entries before `cutoff`.
  func change(
    _ minute: UInt64, expiringBefore cutoff: UInt64, in transaction: inout WriteTransaction,
    _ change: ([UInt8]?) -> [UInt8]
  ) throws(StoreError) {
    try transaction.requireRoomToGrow()
    try expire(before: cutoff, in: &transaction)
    let key = Self.key(minute)
    try transaction.put(table, key, change(try transaction.copy(table, key)))
  }

  /// Removes some entries before `cutoff` (minutes since the epoch).
  func expire(before cutoff: UInt64, in transaction: inout WriteTransaction) throws(StoreError) {
    let due = try transaction.keys(table, from: [], limit: Self.expiryLimit) { key in
      var fields = key
      return (fields.takeUInt64() ?? 0) < cutoff
    }
    for key in due { try transaction.delete(table, key) }
  }

  /// Visits the entries of `minutes` in order.
  func forEach(
    in minutes: Range<UInt64>, _ transaction: borrowing some Transaction & ~Copyable,
    _ body: (UInt64, Span<UInt8>) -> Void
  ) throws(StoreError) {
    try transaction.scan(table, from: Self.key(minutes.lowerBound)) { (key, value) throws(StoreError) in
      var fields = key
      guard let minute = fields.takeUInt64(), minute < minutes.upperBound else { return false }
      body(minute, value)
      return true
    }
  }

  private static func key(_ minute: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: minute)
    return key
  }
}

extension Store {
  /// Minutes for which numbers over time are kept at most.
  public static let historyRetention: UInt64 = 30 * 24 * 60

  /// Keeps what `change` makes of the bytes under a minute since the epoch (nil: none), and forgets those before
  /// `cutoff`. As with delivered marks, the last second may be lost with the machine's power.
  public func changeHistory(
    minute: UInt64, expiringBefore cutoff: UInt64, _ change: @escaping @Sendable ([UInt8]?) -> [UInt8],
    completion: @escaping Completion<Void>
  ) {
    guard let deliveries else { return completion(.failure(.closed)) }
    let history = deliveries.history
    submitDeliveries(
      { (transaction) throws(StoreError) in
        try history.change(minute, expiringBefore: cutoff, in: &transaction, change)
      }, completion: completion)
  }
}

extension StoreReader {
  /// Visits what was kept under `minutes`, in order. Nothing in a tool.
  public func forEachHistory(
    in minutes: Range<UInt64>, _ body: (UInt64, Span<UInt8>) -> Void
  ) throws(StoreError) {
    guard let deliveries, let deliverySlot else { return }
    let transaction = try deliverySlot.begin()
    try deliveries.history.forEach(in: minutes, transaction, body)
  }
}
