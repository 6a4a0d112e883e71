/// The version of an environment's tables, and how older ones are brought up to date.
struct Schema {
  /// One step: from the version at its index plus one to the next.
  struct Migration: Sendable {
    var run:
      @Sendable (
        inout WriteTransaction, _ progress: (StoreProgress) -> Void
      ) throws(StoreError) -> Void
  }

  var migrations: [Migration]
  var current: UInt32 { UInt32(truncatingIfNeeded: migrations.count) + 1 }

  static let registrations = Schema(migrations: [Migration(run: FirstLayout.migrate)])
  static let deliveries = Schema(migrations: [])

  private static let key = Array("schema".utf8)

  /// The version in an environment; nil in a new one. Errors: `newerSchema`, `damaged`.
  func version(
    _ meta: Table, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> UInt32? {
    let path = transaction.environment.path
    guard let stored = try transaction.copy(meta, Self.key) else { return nil }
    var fields = stored.span
    guard let found = fields.takeUInt32(), found > 0 else {
      throw .damaged(path: path, detail: "the schema version can't be read")
    }
    guard found <= current else { throw .newerSchema(path: path, found: found, supported: current) }
    return found
  }

  /// Writes the version into a new environment; brings an older one up to date, all steps in `transaction`.
  /// Errors: `newerSchema`, `damaged`.
  func prepare(
    _ meta: Table, in transaction: inout WriteTransaction, progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let found = try version(meta, in: transaction)
    if found == current { return }
    if let found {
      for migration in migrations[(Int(found) - 1)...] { try migration.run(&transaction, progress) }
    }
    try setVersion(current, meta, in: &transaction)
  }

  func setVersion(
    _ version: UInt32, _ meta: Table, in transaction: inout WriteTransaction
  ) throws(StoreError) {
    var value: [UInt8] = []
    value.append(bigEndian: version)
    try transaction.put(meta, Self.key, value)
  }
}
