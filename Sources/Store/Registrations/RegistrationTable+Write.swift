extension RegistrationTable {
  /// A registration made ready off the writer thread: token sealed and hashed.
  struct Prepared: Sendable {
    var registration: Registration
    var storedKey: StoredKey
    var tokenIndex: [UInt8]
    var sealedToken: [UInt8]
    /// Milliseconds since the epoch.
    var time: UInt64
    /// Only in an import: when it was first registered, and how its token died.
    var createdAt: UInt64?
    var tombstone: Tombstone?
  }

  /// Errors: `invalidValue`, `cipher`.
  func prepare(_ registration: Registration, time: UInt64) throws(StoreError) -> Prepared {
    let length = registration.token.utf8.count
    guard length > 0, length <= Registration.maximumTokenBytes else {
      throw .invalidValue(
        "the device token must have 1 to \(Registration.maximumTokenBytes) bytes, this one has \(length)")
    }
    let index = try cipher.tokenIndex(
      app: registration.key.appID, kind: registration.kind, token: registration.token)
    do throws(TokenCipherError) {
      let sealed = try cipher.seal(Array(registration.token.utf8), context: registration.key.bytes)
      guard sealed.count <= 2 * Registration.maximumTokenBytes else {
        throw TokenCipherError("the sealed token has \(sealed.count) bytes")
      }
      return Prepared(
        registration: registration, storedKey: StoredKey(registration.key), tokenIndex: index,
        sealedToken: sealed, time: time)
    } catch {
      throw .cipher(error.detail)
    }
  }

  /// Stores a registration; whoever held its token before is removed. Newest wins both ways.
  func register(
    _ prepared: Prepared, in transaction: inout WriteTransaction
  ) throws(StoreError) -> RegistrationOutcome {
    try transaction.requireRoomToGrow()
    let registration = prepared.registration
    let key = prepared.storedKey
    var counters = try counters(in: transaction)
    let previous = try row(key, in: transaction)
    let holder = try transaction.copy(tokens, prepared.tokenIndex)

    var displaced: ClientKey?
    if let holder, holder != key.bytes {
      displaced = ClientKey(stored: holder.span)
      try removeRow(StoredKey(bytes: holder), &counters, in: &transaction)
    }
    var row = RegistrationRow(
      kind: registration.kind, alwaysRaw: registration.alwaysRaw, authenticated: registration.authenticated,
      createdAt: prepared.createdAt ?? prepared.time, updatedAt: prepared.time, generation: 0,
      tokenIndex: prepared.tokenIndex)
    row.tombstone = prepared.tombstone
    let change: RegistrationOutcome.Change
    if let previous {
      try removeIndexes(of: previous, key, keepingToken: prepared.tokenIndex, in: &transaction)
      counters.remove(previous)
      row.createdAt = prepared.createdAt ?? previous.createdAt
      row.authenticated = registration.authenticated || previous.authenticated
      let isRevival = previous.tombstone != nil && prepared.tombstone == nil
      row.generation = isRevival ? counters.nextGeneration() : previous.generation
      change = isRevival ? .revived : .updated
    } else {
      row.generation = counters.nextGeneration()
      change = .created
    }
    counters.add(row)
    try transaction.put(registrations, key.bytes, row.encode(sealedToken: prepared.sealedToken))
    if holder != key.bytes {
      try transaction.put(tokens, prepared.tokenIndex, key.bytes)
    }
    if let tombstone = prepared.tombstone {
      try transaction.put(tombstones, Self.tombstoneKey(tombstone.time, key), [])
    }
    try transaction.put(meta, MetaKey.counters, counters.encode())
    return RegistrationOutcome(change: change, displaced: displaced)
  }

  /// False when there was none.
  func delete(_ key: ClientKey, in transaction: inout WriteTransaction) throws(StoreError) -> Bool {
    var counters = try counters(in: transaction)
    guard try removeRow(StoredKey(key), &counters, in: &transaction) else { return false }
    try transaction.put(meta, MetaKey.counters, counters.encode())
    return true
  }

  /// Marks the client's token dead if it still has `tokenIndex` and was last registered at or before `since`
  /// (milliseconds since the epoch; nil: whenever).
  func tombstone(
    _ key: ClientKey, ifTokenIndex tokenIndex: [UInt8], since: UInt64?, _ tombstone: Tombstone,
    in transaction: inout WriteTransaction
  ) throws(StoreError) -> TombstoneOutcome {
    let key = StoredKey(key)
    guard case (var row, let sealedToken)? = try rowAndToken(key, in: transaction) else {
      return .notRegistered
    }
    guard row.tokenIndex == tokenIndex else { return .superseded }
    if row.tombstone != nil { return .alreadyTombstoned }
    if let since, row.updatedAt > since { return .superseded }
    var counters = try counters(in: transaction)
    counters.remove(row)
    row.tombstone = tombstone
    counters.add(row)
    try transaction.put(registrations, key.bytes, row.encode(sealedToken: sealedToken))
    try transaction.put(tombstones, Self.tombstoneKey(tombstone.time, key), [])
    try transaction.put(meta, MetaKey.counters, counters.encode())
    return .tombstoned
  }

  /// Removes at most `limit` tombstones older than `time` (milliseconds since the epoch), oldest first.
  /// The number removed; less than `limit` means that none is left.
  func purgeTombstones(
    before time: UInt64, limit: Int, in transaction: inout WriteTransaction
  ) throws(StoreError) -> Int {
    let due = try transaction.keys(tombstones, from: [], limit: limit) { entry in
      var fields = entry
      return fields.takeUInt64().map { $0 < time } ?? false
    }
    guard !due.isEmpty else { return 0 }
    var counters = try counters(in: transaction)
    for entry in due {
      let key = StoredKey(bytes: [UInt8](entry.dropFirst(8)))
      // Whatever the index says, only what is dead goes; an entry that points at nothing else is cleared.
      if let row = try row(key, in: transaction), let tombstone = row.tombstone, tombstone.time < time {
        try removeRow(key, &counters, in: &transaction)
      }
      try transaction.delete(tombstones, entry)
    }
    try transaction.put(meta, MetaKey.counters, counters.encode())
    return due.count
  }

  @discardableResult
  private func removeRow(
    _ key: StoredKey, _ counters: inout Counters, in transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    guard let row = try row(key, in: transaction) else { return false }
    try removeIndexes(of: row, key, keepingToken: nil, in: &transaction)
    try transaction.delete(registrations, key.bytes)
    counters.remove(row)
    return true
  }

  private func removeIndexes(
    of row: RegistrationRow, _ key: StoredKey, keepingToken: [UInt8]?, in transaction: inout WriteTransaction
  ) throws(StoreError) {
    if row.tokenIndex != keepingToken {
      try transaction.delete(tokens, row.tokenIndex)
    }
    if let tombstone = row.tombstone {
      try transaction.delete(tombstones, Self.tombstoneKey(tombstone.time, key))
    }
  }

  static func tombstoneKey(_ time: UInt64, _ key: StoredKey) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: time)
    return bytes + key.bytes
  }
}
