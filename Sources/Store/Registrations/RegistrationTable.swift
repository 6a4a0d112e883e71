/// The tables of the `registrations` environment and what holds between them: each row has exactly one entry
/// in `tokens`, which points back at it; each tombstone has one in `tombstones`; the counters count the rows.
struct RegistrationTable: Sendable {
  let environment: LMDBEnvironment
  let cipher: any TokenCipher
  let meta: Table
  /// Client key → `RegistrationRow`.
  let registrations: Table
  /// Token index → client key.
  let tokens: Table
  /// Tombstone time (8 bytes, big-endian), client key → nothing: purges without a scan.
  let tombstones: Table
  /// Name → bytes.
  let settings: Table

  enum MetaKey {
    static let counters = Array("counters".utf8)
    static let keyCheck = Array("key-check".utf8)
  }

  /// Opens the tables, creates or migrates them, and checks the master key.
  /// Errors: `newerSchema`, `wrongKey`, `damaged`.
  init(_ environment: LMDBEnvironment, cipher: any TokenCipher) throws(StoreError) {
    self.environment = environment
    self.cipher = cipher
    (meta, registrations, tokens, tombstones, settings) = try environment.openingTables {
      (transaction) throws(StoreError) in
      let meta = try environment.openTable("meta", in: transaction)
      let registrations = try environment.openTable("registrations", in: transaction)
      let tokens = try environment.openTable("tokens", in: transaction)
      let tombstones = try environment.openTable("tombstones", in: transaction)
      let settings = try environment.openTable("settings", in: transaction)
      try Schema.registrations.prepare(meta, in: &transaction)
      try Self.checkKey(cipher, meta, in: &transaction)
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

  func row(
    _ key: [UInt8], in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> RegistrationRow? {
    try transaction.get(registrations, key) { (bytes) throws(StoreError) -> RegistrationRow in
      guard let row = RegistrationRow(bytes) else { throw damaged("a registration can't be read") }
      return row
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
