/// The tables of schema version 1, for stores that still have them: whole client IDs as keys (`ClientKey.bytes`), token
/// indexes of 32 bytes, and rows of this layout, integers big-endian:
///
///     1  layout version (1)          8  updated, ms since the epoch
///     1  token kind                  8  generation
///     1  flags, as today            32  token index
///     1  zero                        2  length of the sealed token, then the token
///     8  created, ms since epoch     with flag 4: 8 time (ms), 1 length of the reason, the reason
enum FirstLayout {
  enum Name {
    static let registrations = "registrations"
    static let tokens = "tokens"
    static let tombstones = "tombstones"
  }

  private static let batch = 1000

  /// Writes what the old tables hold into the new ones and removes them. Each is in the order of the new one but for
  /// mixed client IDs, so that pages fill up one after the other. Sealed tokens stay as they are. Errors: `damaged`,
  /// and `mapFull` when the map hasn't the room for both for the time being.
  static func migrate(
    _ transaction: inout WriteTransaction, progress: (StoreProgress) -> Void
  ) throws(StoreError) {
    let path = transaction.environment.path
    try move(Name.registrations, to: RegistrationTable.Name.registrations, in: &transaction, progress) {
      (key, value) throws(StoreError) in
      guard let key = clientKey(key), let row = row(value) else {
        throw .damaged(path: path, detail: "a registration can't be read")
      }
      return (StoredKey(key).bytes, row)
    }
    try move(Name.tokens, to: RegistrationTable.Name.tokens, in: &transaction) {
      (key, value) throws(StoreError) in
      guard key.count == 32, let client = clientKey(value) else {
        throw .damaged(path: path, detail: "a token's client can't be read")
      }
      return (Array(key.prefix(TokenIndex.length)), StoredKey(client).bytes)
    }
    try move(Name.tombstones, to: RegistrationTable.Name.tombstones, in: &transaction) {
      (key, value) throws(StoreError) in
      var fields = key.span
      guard let time = fields.takeUInt64(), let client = clientKey(Array(key.dropFirst(8))) else {
        throw .damaged(path: path, detail: "a tombstone's client can't be read")
      }
      return (RegistrationTable.tombstoneKey(storable(time), StoredKey(client)), value)
    }
  }

  private static func move(
    _ old: String, to new: String, in transaction: inout WriteTransaction,
    _ progress: (StoreProgress) -> Void = { _ in },
    _ convert: (_ key: [UInt8], _ value: [UInt8]) throws(StoreError) -> (key: [UInt8], value: [UInt8])
  ) throws(StoreError) {
    let old = try transaction.environment.openTable(old, in: transaction)
    let new = try transaction.environment.openTable(new, in: transaction)
    let total = try transaction.count(old)
    var start: [UInt8] = []
    var count = 0
    while true {
      // What is written may move what a cursor points at, hence batches.
      var entries: [(key: [UInt8], value: [UInt8])] = []
      try transaction.scan(old, from: start) { (key, value) throws(StoreError) in
        entries.append(([UInt8](copying: key), [UInt8](copying: value)))
        return entries.count < batch
      }
      for entry in entries {
        let (key, value) = try convert(entry.key, entry.value)
        try transaction.put(new, key, value)
      }
      count += entries.count
      if !entries.isEmpty { progress(.registrations(count, of: total)) }
      guard entries.count == batch, let last = entries.last else { break }
      start = last.key + [0]
    }
    try transaction.remove(old)
  }

  private static func storable(_ time: UInt64) -> UInt64 { min(time, RegistrationRow.greatestTime) }

  private static func clientKey(_ bytes: [UInt8]) -> ClientKey? {
    guard let zero = bytes.firstIndex(of: 0), zero > 0, zero + 1 < bytes.count else { return nil }
    return ClientKey(identity: bytes, appLength: zero)
  }

  /// The row of today for an old one.
  private static func row(_ bytes: [UInt8]) -> [UInt8]? {
    var fields = bytes.span
    guard fields.takeByte() == 1, let kind = fields.takeByte().flatMap(TokenKind.init(rawValue:)),
      let flags = fields.takeByte(), fields.takeByte() != nil, let createdAt = fields.takeUInt64(),
      let updatedAt = fields.takeUInt64(), let generation = fields.takeUInt64(),
      let tokenIndex = fields.takeBytes(32),
      let sealedLength = fields.takeUInt16(), let sealedToken = fields.takeBytes(Int(sealedLength))
    else { return nil }
    var row = RegistrationRow(
      kind: kind, alwaysRaw: flags & 1 != 0, authenticated: flags & 2 != 0,
      createdAt: storable(createdAt), updatedAt: storable(updatedAt), generation: generation,
      tokenIndex: Array(tokenIndex.prefix(TokenIndex.length)))
    if flags & 4 != 0 {
      guard let time = fields.takeUInt64(), let length = fields.takeByte(),
        let reason = fields.takeText(Int(length))
      else { return nil }
      row.tombstone = Tombstone(reason: reason, time: storable(time))
    }
    return row.encode(sealedToken: sealedToken)
  }
}
