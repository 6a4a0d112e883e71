import Glibc
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct DamageTests {
  /// A closed store with `count` registrations and one delivered mark.
  private func madeStore(_ count: Int = 1) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let fixture = try Fixture(folder)
    for number in 0..<count { try await fixture.store.register("c\(number)", "t\(number)") }
    let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
    try await wait { fixture.store.markDelivered(key, completion: $0) }
    fixture.store.close()
    return folder
  }

  private func openError(
    _ folder: TemporaryFolder, cipher: FakeCipher = FakeCipher(), role: StoreOptions.Role = .serve
  ) -> StoreError? {
    do {
      _ = try Fixture(folder, cipher: cipher) { $0.role = role }
      return nil
    } catch {
      return error as? StoreError
    }
  }

  @Test func brokenRegistrationsAreRefusedInWords() async throws {
    let folder = try await madeStore()
    try folder.write("registrations/data.mdb", [UInt8](repeating: 0x5A, count: 8192))
    let error = try #require(openError(folder))
    guard case .damaged = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains(folder.store + "/registrations"))
    #expect(error.description.contains("`pushbox restore --force FILE`"))
  }

  @Test(arguments: [2, 3, 5, 10]) func registrationsCutShortAreRefusedEachTime(pages: Int) async throws {
    let folder = try await madeStore(200)
    let path = folder.store + "/registrations/data.mdb"
    #expect(truncate(path, pages * 4096) == 0)
    for role in [StoreOptions.Role.serve, .tool, .serve] {
      guard case .damaged(_, let detail) = openError(folder, role: role) else {
        Issue.record("opened")
        return
      }
      #expect(detail.contains("cut short"))
      #expect(folder.size("registrations/data.mdb") == pages * 4096)
    }
  }

  @Test func aFileThatOnlyLacksFreePagesIsFine() async throws {
    let folder = try await madeStore()
    do {
      let fixture = try Fixture(folder)
      for number in 0..<300 { try await fixture.store.register("x\(number)", "y\(number)") }
      for number in 0..<300 { _ = try await fixture.store.delete("x\(number)") }
      fixture.store.close()
    }
    #expect(openError(folder) == nil)
  }

  @Test func aNewerSchemaIsRefused() async throws {
    let folder = try await madeStore()
    do {
      let fixture = try Fixture(folder)
      fixture.store.close()
      var transaction = try WriteTransaction(fixture.store.registrations.environment)
      try Schema.registrations.setVersion(7, fixture.store.registrations.meta, in: &transaction)
      try transaction.commit()
    }
    let error = try #require(openError(folder))
    #expect(error == .newerSchema(path: folder.store + "/registrations", found: 7, supported: 2))
    #expect(error.description.contains("newer pushbox"))
  }

  @Test func anOlderSchemaIsMigratedInOneTransaction() throws {
    let folder = try TemporaryFolder()
    let environment = try LMDBEnvironment(
      path: folder.store, settings: .init(mapSize: 1 << 20, isDurable: true, mayCreate: true))
    var transaction = try WriteTransaction(environment)
    let meta = try environment.openTable("meta", in: transaction)
    try Schema(migrations: []).prepare(meta, in: &transaction)
    let grown = Schema(migrations: [
      Schema.Migration { (transaction, _) throws(StoreError) in try transaction.put(meta, [1], [2]) },
      Schema.Migration { (transaction, _) throws(StoreError) in try transaction.put(meta, [1], [3]) },
    ])
    try grown.prepare(meta, in: &transaction)
    #expect(try transaction.copy(meta, [1]) == [3])
    #expect(throws: StoreError.newerSchema(path: folder.store, found: 3, supported: 1)) {
      try Schema(migrations: []).prepare(meta, in: &transaction)
    }
  }

  @Test func anotherMasterKeyIsRefused() async throws {
    let folder = try await madeStore()
    #expect(
      openError(folder, cipher: FakeCipher(key: 1)) == .wrongKey(path: folder.store + "/registrations"))
    #expect(openError(folder) == nil)
  }

  @Test func brokenDeliveriesAreSetAside() async throws {
    let folder = try await madeStore()
    for turn in 1...2 {
      try folder.write("deliveries/data.mdb", [UInt8](repeating: 0x5A, count: 8192))
      let fixture = try Fixture(folder)
      #expect(fixture.warnings.withLock { $0.count } == 1)
      #expect(try fixture.lookup("c0") != nil)
      let key = try #require(DeliveryKey(digest: [UInt8](repeating: UInt8(turn), count: 32)))
      try await wait { fixture.store.markDelivered(key, completion: $0) }
      #expect(try fixture.store.makeReader().isDelivered(key))
      fixture.store.close()
      let aside = Folder.names(in: folder.store + "/deliveries").filter { $0.contains("damaged") }
      #expect(aside.count == 1, "the newest only")
    }
  }

  /// Zeros in every page but the two headers, under the map of who serves.
  @Test func deliveriesThatBreakWhileServingCostNoPush() async throws {
    let folder = try await madeStore()
    let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
    do {
      let fixture = try Fixture(folder) { $0.upkeepInterval = .seconds(3600) }
      let reader = try fixture.store.makeReader()
      #expect(try reader.isDelivered(key))
      let pages = folder.size("deliveries/data.mdb") / 4096 - 2
      try folder.write("deliveries/data.mdb", [UInt8](repeating: 0, count: pages * 4096), at: 8192)
      for _ in 0..<3 { #expect(try !reader.isDelivered(key)) }
      #expect(fixture.warnings.withLock { $0.count } == 1)
      #expect(fixture.warnings.withLock { $0.first?.contains("set aside at the next start") } == true)
      #expect(try fixture.lookup("c0") != nil)
      fixture.store.close()
    }
    let fixture = try Fixture(folder)
    #expect(fixture.warnings.withLock { $0.first?.contains("found damaged while in use") } == true)
    try await wait { fixture.store.markDelivered(key, completion: $0) }
    #expect(try fixture.store.makeReader().isDelivered(key))
  }

  @Test func deliveriesCutShortAreSetAside() async throws {
    let folder = try await madeStore()
    #expect(truncate(folder.store + "/deliveries/data.mdb", 3 * 4096) == 0)
    let fixture = try Fixture(folder)
    #expect(fixture.warnings.withLock { $0.first?.contains("cut short") } == true)
  }

  @Test(arguments: ["open of-another-boot", "damaged", "nonsense"])
  func deliveriesThatCannotBeTrustedAreSetAside(state: String) async throws {
    let folder = try await madeStore()
    try DeliveriesFolder(path: folder.store + "/deliveries").setState(state)
    let fixture = try Fixture(folder)
    #expect(fixture.warnings.withLock { $0.count } == 1)
    let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
    #expect(try !fixture.store.makeReader().isDelivered(key))
  }

  @Test func deliveriesOfAProcessKilledInThisBootAreKept() async throws {
    let folder = try await madeStore()
    try DeliveriesFolder(path: folder.store + "/deliveries").markOpen()
    let fixture = try Fixture(folder)
    #expect(fixture.warnings.withLock { $0 } == [])
    let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
    #expect(try fixture.store.makeReader().isDelivered(key))
  }

  @Test func filesAreForTheirOwnerOnly() async throws {
    let folder = try await madeStore()
    func mode(_ name: String) -> mode_t {
      var status = stat()
      return stat(folder.store + "/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(mode("") == 0o700)
    #expect(mode("registrations") == 0o700)
    #expect(mode("registrations/data.mdb") == 0o600)
    #expect(mode("deliveries/data.mdb") == 0o600)
    #expect(mode("serve.lock") == 0o600)
  }
}
