extension RegistrationTable {
  /// Errors: `invalidValue`, `cipher`.
  func prepare(_ record: ImportedRegistration) throws(StoreError) -> Prepared {
    func storable(_ time: UInt64) -> UInt64 { min(time, RegistrationRow.greatestTime) }
    var prepared = try prepare(record.registration, time: storable(record.updatedAt))
    prepared.createdAt = storable(record.createdAt)
    prepared.tombstone = record.tombstone.map { Tombstone(reason: $0.reason, time: storable($0.time)) }
    return prepared
  }

  /// Whether neither the client nor its token has a later registration, or one of the same time that says the same.
  /// The Rust server's rows keep their one time when they change, so the second import of a cut-over brings such.
  /// A tombstone that came later is no news: of the same time, it may be older than a revival here. What is dead all
  /// the same costs one push that its gateway refuses; what is not would get none.
  func isNews(
    _ prepared: Prepared, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> Bool {
    let key = prepared.storedKey
    if let row = try row(key, in: transaction) {
      let isSame =
        row.tokenIndex == prepared.tokenIndex && row.kind == prepared.registration.kind
        && row.alwaysRaw == prepared.registration.alwaysRaw
      if row.updatedAt > prepared.time || row.updatedAt == prepared.time && isSame { return false }
    }
    guard let holder = try transaction.copy(tokens, prepared.tokenIndex), holder != key.bytes,
      let row = try row(StoredKey(bytes: holder), in: transaction)
    else { return true }
    return row.updatedAt <= prepared.time
  }

  /// Stores what is news. Of records with one token the newest wins, whatever their order.
  func importRecords(
    _ records: [Prepared], in transaction: inout WriteTransaction
  ) throws(StoreError) -> [ImportOutcome] {
    var outcomes: [ImportOutcome] = []
    outcomes.reserveCapacity(records.count)
    for record in records {
      guard try isNews(record, in: transaction) else {
        outcomes.append(.kept)
        continue
      }
      _ = try register(record, in: &transaction)
      outcomes.append(.stored)
    }
    return outcomes
  }
}
