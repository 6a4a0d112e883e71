import Store

/// Where imported registrations go.
protocol ImportTarget {
  func store(_ records: [ImportedRegistration]) throws(StoreError) -> [ImportOutcome]
}

/// The store, durably.
struct StoreTarget: ImportTarget {
  private let store: Store

  init(_ store: Store) {
    self.store = store
  }

  func store(_ records: [ImportedRegistration]) throws(StoreError) -> [ImportOutcome] {
    let store = self.store
    return try StoreCommand.wait { store.importRegistrations(records, completion: $0) }
  }
}

/// Compares with the store and changes nothing. Two lines of one file are not compared with each other.
struct DryRun: ImportTarget {
  private let store: Store?
  private let reader: StoreReader?

  /// - Parameter store: nil when there is none yet.
  init(_ store: Store?) throws(StoreCommand.Failure) {
    self.store = store
    reader = if let store { try StoreCommand.reader(store) } else { nil }
  }

  func store(_ records: [ImportedRegistration]) throws(StoreError) -> [ImportOutcome] {
    var outcomes: [ImportOutcome] = []
    for record in records {
      let isNews = try reader?.wouldImport(record) ?? true
      outcomes.append(isNews ? .stored : .kept)
    }
    return outcomes
  }
}
