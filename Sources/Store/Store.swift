import Glibc

/// Registrations, delivered marks and settings in one folder.
///
/// What `register` and the other writers acknowledge is on the disk, except delivered marks, of which the last
/// second may be lost with the machine's power. Completions are called once, on a writer thread after the
/// commit, or at once on the caller's thread when the queue is full or the store closed.
public final class Store: Sendable {
  public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

  let registrations: RegistrationTable
  let deliveries: DeliveredMarks?
  let options: StoreOptions
  let activity = ActivityBuffer()
  private let registrationWriter: StoreWriter
  private let deliveryWriter: StoreWriter?
  private let upkeep: DeliveriesUpkeep?
  private let lock: ServeLock?
  private let use: FolderUse?

  /// Opens the store in the folder at `path`; its parent folder must exist. Blocks: for start only.
  public static func open(
    path: String, options: StoreOptions = StoreOptions(), cipher: any TokenCipher
  ) throws(StoreError) -> Store {
    try Store(path: path, options: options, cipher: cipher)
  }

  private init(path: String, options: StoreOptions, cipher: any TokenCipher) throws(StoreError) {
    self.options = options
    let isServing = options.role == .serve
    if isServing {
      try Folder.create(path)
    } else if access(path + "/registrations/data.mdb", F_OK) != 0 {
      throw errno == ENOENT || errno == ENOTDIR
        ? .notFound(path: path) : .from(errno: errno, operation: "opening", path: path)
    }
    lock = isServing ? try ServeLock(folder: path) : nil
    use = isServing ? nil : try FolderUse(path, .shared)
    let environment = try LMDBEnvironment(
      path: path + "/registrations",
      settings: .init(
        mapSize: options.mapSize, isDurable: true, mayCreate: isServing,
        onUnusable: options.onUnusable))
    registrations = try Self.openTables(environment, options, folder: path, cipher: cipher)
    guard isServing else {
      deliveries = nil
      deliveryWriter = nil
      upkeep = nil
      registrationWriter = try StoreWriter(environment, capacity: options.queueCapacity)
      return
    }
    let folder = DeliveriesFolder(path: path + "/deliveries")
    let marks = try DeliveredMarks.open(
      folder, mapSize: options.deliveriesMapSize, time: options.clock() / 1000, warn: options.onWarning,
      onUnusable: options.onUnusable)
    let upkeep = DeliveriesUpkeep(
      marks, activity: activity, folder: folder, options: options)
    deliveries = marks
    self.upkeep = upkeep
    let deliveryWriter = try StoreWriter(
      marks.environment, capacity: options.queueCapacity, chore: upkeep,
      choreInterval: options.upkeepInterval, gathering: options.markGathering)
    self.deliveryWriter = deliveryWriter
    do throws(StoreError) {
      registrationWriter = try StoreWriter(environment, capacity: options.queueCapacity)
    } catch {
      deliveryWriter.close()
      throw error
    }
  }

  deinit {
    close()
  }

  private static func openTables(
    _ environment: LMDBEnvironment, _ options: StoreOptions, folder: String, cipher: any TokenCipher
  ) throws(StoreError) -> RegistrationTable {
    // A file that was cut short is looked through, for which no server may be at work on it. If one is, it
    // did that when it started.
    var lock: ServeLock?
    defer { _ = lock }
    if environment.shortLength != nil, options.role == .tool {
      do throws(StoreError) {
        lock = try ServeLock(folder: folder)
      } catch .locked {
        environment.shortLength = nil
      }
    }
    try environment.fillShortFile()
    return try RegistrationTable(
      environment, cipher: cipher, mayMigrate: options.role == .serve, progress: options.onMigration)
  }

  /// Answers everything that waits, syncs and ends the writer threads; later writes fail with `closed`. The
  /// files and the lock are released when the store and its readers are gone. Not from a completion.
  public func close() {
    registrationWriter.close()
    deliveryWriter?.close()
  }

  /// Whether a registration failed for want of room in the map or on the disk, not longer ago than `age`.
  public func lackedRoom(within age: Duration) -> Bool { registrationWriter.lackedRoom(within: age) }

  /// Transactions the writers committed: with group commit far fewer than operations.
  var registrationCommitCount: UInt64 { registrationWriter.commitCount }
  var deliveryCommitCount: UInt64 { deliveryWriter?.commitCount ?? 0 }

  /// Lets go of what commands were reading that were killed: until then the file grows with each write. How many
  /// there were.
  public func clearStaleReaders() throws(StoreError) -> Int {
    try registrations.environment.clearStaleReaders() + (deliveries?.environment.clearStaleReaders() ?? 0)
  }

  /// A reader for one thread, which must let go of it before the store can be opened again in this process.
  public func makeReader() throws(StoreError) -> StoreReader {
    try StoreReader(registrations: registrations, deliveries: deliveries, upkeep: upkeep)
  }

  /// Stores a registration: newest wins, both for the client ID and for the device token.
  public func register(_ registration: Registration, completion: @escaping Completion<RegistrationOutcome>) {
    let table = registrations
    let prepared: RegistrationTable.Prepared
    do throws(StoreError) {
      prepared = try table.prepare(registration, time: options.clock())
    } catch {
      return completion(.failure(error))
    }
    let activity = self.activity
    registrationWriter.submit(
      { (transaction) throws(StoreError) in try table.register(prepared, in: &transaction) },
      completion: { result in
        if case .success(let outcome) = result, let displaced = outcome.displaced {
          activity.forget(displaced)
        }
        completion(result)
      })
  }

  /// Queues a write to the registrations, for extensions in other files.
  func submitRegistrations<Value: Sendable>(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value,
    completion: @escaping Completion<Value>
  ) {
    registrationWriter.submit(body, completion: completion)
  }

  /// Queues a write to the deliveries, for extensions in other files.
  func submitDeliveries<Value: Sendable>(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value,
    completion: @escaping Completion<Value>
  ) {
    guard let deliveryWriter else { return completion(.failure(.closed)) }
    deliveryWriter.submit(body, completion: completion)
  }

  /// Removes a registration; false when there was none.
  public func delete(_ key: ClientKey, completion: @escaping Completion<Bool>) {
    let table = registrations
    let activity = self.activity
    registrationWriter.submit(
      { (transaction) throws(StoreError) in try table.delete(key, in: &transaction) },
      completion: { result in
        if case .success = result { activity.forget(key) }
        completion(result)
      })
  }

  /// Marks a client's token dead if it is still the one with `tokenIndex` (from the record the push was sent
  /// with) and was last registered at or before `since`, milliseconds since the epoch, when given: APNs' 410
  /// tells when the token died, and a registration after that counts (Apple, "Handling notification responses
  /// from APNs").
  public func tombstone(
    _ key: ClientKey, ifTokenIndex tokenIndex: [UInt8], since: UInt64?, reason: String,
    completion: @escaping Completion<TombstoneOutcome>
  ) {
    let table = registrations
    let tombstone = Tombstone(reason: reason, time: options.clock())
    registrationWriter.submit(
      { (transaction) throws(StoreError) in
        try table.tombstone(key, ifTokenIndex: tokenIndex, since: since, tombstone, in: &transaction)
      }, completion: completion)
  }

  /// Removes at most `limit` tombstones older than `time` (milliseconds since the epoch); the number removed.
  public func purgeTombstones(before time: UInt64, limit: Int = 1000, completion: @escaping Completion<Int>) {
    let table = registrations
    registrationWriter.submit(
      { (transaction) throws(StoreError) in
        try table.purgeTombstones(before: time, limit: limit, in: &transaction)
      }, completion: completion)
  }

  /// Remembers that a gateway accepted this push. Only ever after it did: a failed push must stay unmarked.
  public func markDelivered(_ key: DeliveryKey, completion: @escaping Completion<Void>) {
    guard let deliveries, let deliveryWriter, let upkeep else { return completion(.failure(.closed)) }
    let time = options.clock() / 1000
    deliveryWriter.submit(
      { (transaction) throws(StoreError) in try deliveries.mark(key, at: time, in: &transaction) },
      completion: { result in
        if case .failure(let error) = result { upkeep.note(error) }
        completion(result)
      })
  }

  /// Stores bytes under a name of 1 to 255 bytes; nil removes them.
  public func setSetting(_ name: String, to value: [UInt8]?, completion: @escaping Completion<Void>) {
    guard (1...255).contains(name.utf8.count) else {
      return completion(.failure(.invalidValue("a setting's name must have 1 to 255 bytes")))
    }
    let table = registrations.settings
    registrationWriter.submit(
      { (transaction) throws(StoreError) in
        guard let value else {
          try transaction.delete(table, Array(name.utf8))
          return
        }
        try transaction.requireRoomToGrow()
        try transaction.put(table, Array(name.utf8), value)
      }, completion: completion)
  }
}
