import Glibc
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct RestoreTests {
  /// A backup of a store with two registrations and a tombstone.
  private func backup(in folder: TemporaryFolder) async throws -> String {
    let fixture = try Fixture(folder)
    for client in ["a", "b", "c"] { try await fixture.store.register(client, "token of \(client)") }
    let index = try #require(try fixture.lookup("c")?.summary.tokenIndex)
    #expect(try await fixture.store.tombstone("c", index) == .tombstoned)
    let path = folder.path + "/backup"
    try fixture.store.backUpRegistrations(to: NewFile(path))
    fixture.store.close()
    return path
  }

  private func restore(
    _ source: String, to folder: TemporaryFolder, cipher: FakeCipher = FakeCipher(), replacing: Bool = false,
    time: UInt64 = 7
  ) throws(StoreError) -> Store.Restored {
    try Store.restore(from: source, to: folder.store, cipher: cipher, replacing: replacing, time: time)
  }

  private func error(_ body: () throws(StoreError) -> Store.Restored) -> StoreError? {
    do throws(StoreError) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func aBackupComesBackInAnEmptyFolder() async throws {
    let origin = try TemporaryFolder()
    let source = try await backup(in: origin)
    let folder = try TemporaryFolder()
    let restored = try restore(source, to: folder)
    #expect(restored.counts.totalActive == 2 && restored.counts.totalTombstoned == 1)
    #expect(restored.replaced == nil)
    let fixture = try Fixture(folder)
    #expect(try fixture.lookup("a")?.token == "token of a")
    #expect(try fixture.inconsistency() == nil)
    #expect(Folder.names(in: folder.store).sorted() == ["deliveries", "registrations", "serve.lock"])
  }

  @Test func anExistingStoreIsReplacedOnlyWhenAskedAndKeptBeside() async throws {
    let folder = try TemporaryFolder()
    let source = try await backup(in: folder)
    do {
      let fixture = try Fixture(folder)
      #expect(
        error { () throws(StoreError) in try restore(source, to: folder) }
          == .locked(path: folder.store, pid: getpid()))
      try await fixture.store.register("later", "token")
      let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
      try await wait { fixture.store.markDelivered(key, completion: $0) }
      fixture.store.close()
    }
    #expect(
      error { () throws(StoreError) in try restore(source, to: folder) } == .alreadyExists(path: folder.store)
    )
    let restored = try restore(source, to: folder, replacing: true)
    let replaced = try #require(restored.replaced)
    #expect(access(replaced, F_OK) == 0)
    do {
      let fixture = try Fixture(folder)
      #expect(try fixture.lookup("later") == nil)
      #expect(try fixture.lookup("a") != nil)
      let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
      #expect(try !fixture.store.makeReader().isDelivered(key))
      fixture.store.close()
    }
    // What was replaced is a backup too.
    _ = try restore(replaced, to: folder, replacing: true, time: 8)
    let fixture = try Fixture(folder)
    #expect(try fixture.lookup("later") != nil)
  }

  @Test func whatIsNoGoodBackupChangesNothing() async throws {
    let folder = try TemporaryFolder()
    let source = try await backup(in: folder)
    let path = folder.path + "/bad"
    func attempt(_ cipher: FakeCipher = FakeCipher()) -> StoreError? {
      error { () throws(StoreError) in try restore(path, to: folder, cipher: cipher, replacing: true) }
    }
    #expect(attempt() == .system(operation: "opening", path: path, code: ENOENT))
    try folder.write("../bad", [])
    guard case .damaged(path, _) = attempt() else { return #expect(Bool(false), "an empty file") }
    try folder.write("../bad", [UInt8](repeating: 0x41, count: 20_000))
    guard case .damaged(path, _) = attempt() else { return #expect(Bool(false), "no LMDB file") }
    unlink(path)
    try Folder.copyFile(source, to: path)
    #expect(attempt(FakeCipher(key: 1)) == .wrongKey(path: path))
    #expect(truncate(path, folder.size("../bad") - 4096) == 0)
    guard case .damaged(path, _) = attempt() else { return #expect(Bool(false), "cut short") }
    // Still as it was.
    let fixture = try Fixture(folder)
    #expect(try fixture.store.makeReader().counts().totalActive == 2)
    #expect(Folder.names(in: folder.store).sorted() == ["deliveries", "registrations", "serve.lock"])
  }

  @Test func anEmptyBackupIsNoSuccess() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/empty"
    let fixture = try Fixture(folder)
    try fixture.store.backUpRegistrations(to: NewFile(path))
    let target = try TemporaryFolder()
    #expect(error { () throws(StoreError) in try restore(path, to: target) } == .emptyBackup(path: path))
    #expect(access(target.store + "/registrations/data.mdb", F_OK) != 0)
  }

  @Test func tamperedRowsAreFound() async throws {
    let folder = try TemporaryFolder()
    let source = try await backup(in: folder)
    do {
      let fixture = try Fixture(folder)
      fixture.store.close()
      let table = fixture.store.registrations
      var transaction = try WriteTransaction(table.environment)
      let key = StoredKey(try ClientKey(client: "a"))
      let (row, token) = try #require(try table.rowAndToken(key, in: transaction))
      var sealedToken = token
      sealedToken[40] ^= 1
      try transaction.put(table.registrations, key.bytes, row.encode(sealedToken: sealedToken))
      try transaction.commit()
      unlink(source)
      try fixture.store.backUpRegistrations(to: NewFile(source))
    }
    guard
      case .damaged(source, _) = error({ () throws(StoreError) in
        try restore(source, to: folder, replacing: true)
      })
    else { return #expect(Bool(false), "a changed token") }
  }
}
