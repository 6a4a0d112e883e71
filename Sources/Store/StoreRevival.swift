/// What became of a revival.
public enum RevivalOutcome: Equatable, Sendable {
  case revived
  /// It gets pushes already.
  case notTombstoned
  case notRegistered
}

extension Store {
  /// Takes a tombstone's mark away, so that its token is tried again: for an operator who knows that the gateway
  /// was wrong.
  public func revive(_ key: ClientKey, completion: @escaping Completion<RevivalOutcome>) {
    let table = registrations
    submitRegistrations(
      { (transaction) throws(StoreError) in try table.revive(key, in: &transaction) },
      completion: completion)
  }
}
