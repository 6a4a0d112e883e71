/// The version of an environment's tables, and how older ones are brought up to date.
struct Schema {
  /// One step: from the version at its index plus one to the next.
  struct Migration: Sendable {
    var run: @Sendable (inout WriteTransaction) throws(StoreError) -> Void
  }

  var migrations: [Migration]
  var current: UInt32 { UInt32(truncatingIfNeeded: migrations.count) + 1 }

  static let registrations = Schema(migrations: [])
  static let deliveries = Schema(migrations: [])

  private static let key = Array("schema".utf8)

  /// Writes the version into a new environment; migrates an older one, all steps in `transaction`.
  /// Errors: `newerSchema`, `damaged`.
  func prepare(_ meta: Table, in transaction: inout WriteTransaction) throws(StoreError) {
    let path = transaction.environment.path
    if let stored = try transaction.copy(meta, Self.key) {
      var reader = RowReader(stored.span)
      guard let found = reader.uint32(), found > 0 else {
        throw .damaged(path: path, detail: "the schema version can't be read")
      }
      guard found <= current else { throw .newerSchema(path: path, found: found, supported: current) }
      if found == current { return }
      for migration in migrations[(Int(found) - 1)...] {
        try migration.run(&transaction)
      }
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
