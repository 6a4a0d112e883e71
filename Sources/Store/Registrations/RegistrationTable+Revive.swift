/// What became of a registration whose token was to be used again.
public enum RevivalOutcome: Equatable, Sendable {
  case revived
  /// Its token was not dead.
  case active
  case notRegistered
}

extension RegistrationTable {
  /// Takes the tombstone off a registration. As when the client registers anew, pushes that were delivered
  /// before are not remembered.
  func revive(_ key: ClientKey, in transaction: inout WriteTransaction) throws(StoreError) -> RevivalOutcome {
    let key = StoredKey(key)
    guard case (var row, let sealedToken)? = try rowAndToken(key, in: transaction) else {
      return .notRegistered
    }
    guard let tombstone = row.tombstone else { return .active }
    try transaction.requireRoomToGrow()
    var counters = try counters(in: transaction)
    counters.remove(row)
    try transaction.delete(tombstones, Self.tombstoneKey(tombstone.time, key))
    row.tombstone = nil
    row.generation = counters.nextGeneration()
    counters.add(row)
    try transaction.put(registrations, key.bytes, row.encode(sealedToken: sealedToken))
    try transaction.put(meta, MetaKey.counters, counters.encode())
    return .revived
  }
}

extension Store {
  /// Gives a token that a gateway called dead another chance, for when the gateway was wrong.
  public func revive(_ key: ClientKey, completion: @escaping Completion<RevivalOutcome>) {
    let table = registrations
    submitRegistrations(
      { (transaction) throws(StoreError) in try table.revive(key, in: &transaction) }, completion: completion)
  }
}
