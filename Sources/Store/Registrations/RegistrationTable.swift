/// The tables of the `registrations` environment and what holds between them: each row has exactly one entry
/// in `tokens`, which points back at it; each tombstone has one in `tombstones`; the counters count the rows.
struct RegistrationTable: Sendable {
  let environment: LMDBEnvironment
  let cipher: any TokenCipher
  let meta: Table
  /// `StoredKey` → `RegistrationRow`.
  let registrations: Table
  /// Token index → `StoredKey`.
  let tokens: Table
  /// Tombstone time (8 bytes, big-endian), `StoredKey` → nothing: purges without a scan.
  let tombstones: Table
  /// Name → bytes.
  let settings: Table

  /// What the tables are called in the file. Those of the first layout had other names.
  enum Name {
    static let registrations = "clients"
    static let tokens = "token-index"
    static let tombstones = "tombstone-times"
  }

  enum MetaKey {
    static let counters = Array("counters".utf8)
    static let keyCheck = Array("key-check".utf8)
  }

  /// Opens the tables, creates those that are missing, and checks the master key.
  /// - Parameter mayMigrate: whether an older store is brought up to date: only the holder of the folder's lock may.
  /// Errors: `newerSchema`, `olderSchema`, `wrongKey`, `damaged`.
  init(
    _ environment: LMDBEnvironment, cipher: any TokenCipher, mayMigrate: Bool = false,
    progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) {
    self.environment = environment
    self.cipher = cipher
    (meta, registrations, tokens, tombstones, settings) = try environment.openingTables {
      (transaction) throws(StoreError) in
      let meta = try environment.openTable("meta", in: transaction)
      let registrations = try environment.openTable(Name.registrations, in: transaction)
      let tokens = try environment.openTable(Name.tokens, in: transaction)
      let tombstones = try environment.openTable(Name.tombstones, in: transaction)
      let settings = try environment.openTable("settings", in: transaction)
      let schema = Schema.registrations
      if let found = try schema.version(meta, in: transaction), found < schema.current, !mayMigrate {
        throw .olderSchema(path: environment.path, found: found, current: schema.current)
      }
      try Self.checkKey(cipher, meta, in: &transaction)
      try schema.prepare(meta, in: &transaction, progress: progress)
      return (meta, registrations, tokens, tombstones, settings)
    }
    try environment.refuseIfCutShort(tables: [meta, registrations, tokens, tombstones, settings])
  }

  private static func checkKey(
    _ cipher: any TokenCipher, _ meta: Table, in transaction: inout WriteTransaction
  ) throws(StoreError) {
    let expected = cipher.keyCheck
    guard let stored = try transaction.copy(meta, MetaKey.keyCheck) else {
      return try transaction.put(meta, MetaKey.keyCheck, expected)
    }
    guard stored == expected else { throw .wrongKey(path: transaction.environment.path) }
  }

  /// One row without its token; nil when there is none. Errors: `damaged`.
  func row(
    _ key: StoredKey, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> RegistrationRow? {
    try transaction.get(registrations, key.bytes) { (bytes) throws(StoreError) -> RegistrationRow in
      guard let row = RegistrationRow(bytes) else { throw damaged("a registration can't be read") }
      return row
    }
  }

  /// One row with its sealed token, to be written anew; nil when there is none. Errors: `damaged`.
  func rowAndToken(
    _ key: StoredKey, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> (row: RegistrationRow, sealedToken: [UInt8])? {
    try transaction.get(registrations, key.bytes) { (bytes) throws(StoreError) in
      var rest = bytes
      guard let row = RegistrationRow(takenFrom: &rest) else { throw damaged("a registration can't be read") }
      return (row, [UInt8](copying: rest))
    }
  }

  func counters(in transaction: borrowing some Transaction & ~Copyable) throws(StoreError) -> Counters {
    let stored = try transaction.get(meta, MetaKey.counters) { (bytes) throws(StoreError) -> Counters in
      guard let counters = Counters(bytes) else { throw damaged("the counters can't be read") }
      return counters
    }
    return stored ?? Counters()
  }

  func damaged(_ detail: String) -> StoreError {
    .damaged(path: environment.path, detail: detail)
  }
}
