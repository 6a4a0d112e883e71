/// A registration with its history, as an export or another server's table has it.
public struct ImportedRegistration: Sendable {
  public var registration: Registration
  /// Milliseconds since the epoch.
  public var createdAt: UInt64
  /// The last registration, milliseconds since the epoch: of two rows the newer wins.
  public var updatedAt: UInt64
  /// Set: the token is dead.
  public var tombstone: Tombstone?

  public init(
    registration: Registration, createdAt: UInt64, updatedAt: UInt64, tombstone: Tombstone? = nil
  ) {
    self.registration = registration
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.tombstone = tombstone
  }
}

/// What became of an imported registration.
public enum ImportOutcome: Equatable, Sendable {
  case stored
  /// The store has the same already, or something newer for the client or its token.
  case kept
}

extension Store {
  /// Stores those of `records` that are news, all of them or none, in one transaction. Works beside a serving
  /// process, whose writes wait meanwhile: give some hundred at a time.
  public func importRegistrations(
    _ records: [ImportedRegistration], completion: @escaping Completion<[ImportOutcome]>
  ) {
    let table = registrations
    var prepared: [RegistrationTable.Prepared] = []
    prepared.reserveCapacity(records.count)
    do throws(StoreError) {
      for record in records { prepared.append(try table.prepare(record)) }
    } catch {
      return completion(.failure(error))
    }
    let batch = prepared
    submitRegistrations(
      { (transaction) throws(StoreError) in try table.importRecords(batch, in: &transaction) },
      completion: completion)
  }
}
