/// Reads for one thread: not Sendable. Each call sees the latest commit.
public final class StoreReader {
  let registrations: RegistrationTable
  let registrationSlot: ReadSlot
  let deliveries: DeliveredMarks?
  let deliverySlot: ReadSlot?
  private let upkeep: DeliveriesUpkeep?

  init(
    registrations: RegistrationTable, deliveries: DeliveredMarks?, upkeep: DeliveriesUpkeep?
  ) throws(StoreError) {
    self.registrations = registrations
    self.deliveries = deliveries
    self.upkeep = upkeep
    registrationSlot = try ReadSlot(registrations.environment)
    deliverySlot = if let deliveries { try ReadSlot(deliveries.environment) } else { nil }
  }

  /// nil when the client is not registered; a tombstone is returned as such.
  public func lookup(_ key: ClientKey) throws(StoreError) -> ClientRecord? {
    let transaction = try registrationSlot.begin()
    return try registrations.lookup(key, in: transaction)
  }

  /// The client that holds a device token, tombstone or not.
  public func client(
    app: String = ClientKey.defaultApp, kind: TokenKind, token: String
  ) throws(StoreError) -> ClientKey? {
    let transaction = try registrationSlot.begin()
    return try registrations.client(app: app, kind: kind, token: token, in: transaction)
  }

  /// At most `limit` registrations whose client ID begins with `prefix`, after `last`, in
  /// byte order, those that are Ed25519 keys after all others.
  public func list(
    app: String = ClientKey.defaultApp, prefix: String = "", after last: String? = nil, limit: Int
  ) throws(StoreError) -> [ClientSummary] {
    let transaction = try registrationSlot.begin()
    return try registrations.list(app: app, prefix: prefix, after: last, limit: limit, in: transaction)
  }

  /// Visits every registration of every app with its opened token, in key order, while `body` returns true.
  /// All of one snapshot, which keeps the file from using its free pages again for so long.
  public func forEachRecord(
    _ body: (ClientRecord) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let transaction = try registrationSlot.begin()
    try registrations.forEachRecord(in: transaction, body)
  }

  /// Whether an import of `record` would store it: not when the store has the same or something newer.
  public func wouldImport(_ record: ImportedRegistration) throws(StoreError) -> Bool {
    let prepared = try registrations.prepare(record)
    let transaction = try registrationSlot.begin()
    return try registrations.isNews(prepared, in: transaction)
  }

  /// Registrations by kind, without a scan.
  public func counts() throws(StoreError) -> RegistrationCounts {
    let transaction = try registrationSlot.begin()
    return RegistrationCounts(try registrations.counters(in: transaction))
  }

  /// True when a gateway accepted this push before. Always false in a tool, and where the marks are damaged: a push
  /// that shows twice is better than one that does not until the next start, which sets them aside.
  public func isDelivered(_ key: DeliveryKey) throws(StoreError) -> Bool {
    guard let deliveries, let deliverySlot else { return false }
    do throws(StoreError) {
      let transaction = try deliverySlot.begin()
      return try deliveries.isDelivered(key, in: transaction)
    } catch {
      guard case .damaged = error else { throw error }
      upkeep?.note(error)
      return false
    }
  }

  /// Bytes stored under a name.
  public func setting(_ name: String) throws(StoreError) -> [UInt8]? {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count <= 255 else { return nil }
    let transaction = try registrationSlot.begin()
    return try transaction.copy(registrations.settings, bytes)
  }

  /// The names that begin with `prefix`, in byte order.
  public func settingNames(prefix: String) throws(StoreError) -> [String] {
    let wanted = Array(prefix.utf8)
    let transaction = try registrationSlot.begin()
    var names: [String] = []
    try transaction.scan(registrations.settings, from: wanted) { (key, _) throws(StoreError) in
      guard key.hasPrefix(wanted) else { return false }
      names.append(key.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
      return true
    }
    return names
  }

  /// Reads every registration, opens its token and compares the indexes: the first contradiction in words, nil
  /// when all is well.
  public func inconsistency(
    progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) -> String? {
    let transaction = try registrationSlot.begin()
    return try registrations.inconsistency(in: transaction, progress: progress)
  }
}
