import Glibc
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct OpeningTests {
  @Test func aSecondServerIsRefusedByPid() async throws {
    let fixture = try Fixture()
    let error = #expect(throws: StoreError.self) { try Fixture(fixture.folder) }
    #expect(error == .locked(path: fixture.folder.store, pid: getpid()))
    #expect(error?.description.contains(String(getpid())) == true)
  }

  @Test func aToolNeedsAStore() throws {
    let folder = try TemporaryFolder()
    #expect(throws: StoreError.notFound(path: folder.store)) { try Fixture(folder) { $0.role = .tool } }
    #expect(folder.size("serve.lock") == -1)
  }

  @Test func oneProcessOpensAFolderOnce() async throws {
    let fixture = try Fixture()
    #expect(throws: StoreError.alreadyOpen(path: fixture.folder.store + "/registrations")) {
      try Fixture(fixture.folder) { $0.role = .tool }
    }
  }

  @Test func aToolReadsAndWritesRegistrations() async throws {
    let folder = try TemporaryFolder()
    do {
      let fixture = try Fixture(folder)
      try await fixture.store.register("alice", "t1")
      fixture.store.close()
    }
    let tool = try Fixture(folder) { $0.role = .tool }
    #expect(try tool.lookup("alice")?.token == "t1")
    #expect(try await tool.store.delete("alice"))
    let key = try #require(DeliveryKey(digest: [UInt8](repeating: 1, count: 32)))
    #expect(try !tool.store.makeReader().isDelivered(key))
    await #expect(throws: StoreError.closed) {
      try await wait { tool.store.markDelivered(key, completion: $0) }
    }
  }

  @Test func aFolderWithoutPermissionIsNamed() throws {
    // root may do everything.
    guard getuid() != 0 else { return }
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    #expect(throws: StoreError.permissionDenied(path: folder.store)) { try Fixture(folder) }
  }

  @Test func errnoValuesBecomeWords() {
    #expect(
      StoreError.from(lmdb: ENOSPC, operation: "x", path: "p", mapSize: 1, key: "k") == .diskFull(path: "p"))
    #expect(
      StoreError.from(lmdb: EACCES, operation: "x", path: "p", mapSize: 1, key: "k")
        == .permissionDenied(path: "p"))
    #expect(
      StoreError.from(lmdb: EIO, operation: "committing", path: "p", mapSize: 1, key: "k").description
        == "committing p: Input/output error")
    // A disk that turns read-only while serving is mounted anew, as a full one is emptied.
    #expect(StoreError.from(lmdb: EROFS, operation: "x", path: "p", mapSize: 1, key: "k").isTransient)
  }

  @Test func aClosedStoreRefusesWrites() async throws {
    let fixture = try Fixture()
    fixture.store.close()
    await #expect(throws: StoreError.closed) { try await fixture.store.register("alice", "t1") }
    #expect(try fixture.lookup("alice") == nil)
  }

  @Test func aBackupIsAStoreOfItsOwn() async throws {
    let fixture = try Fixture()
    for number in 0..<50 { try await fixture.store.register("c\(number)", "t\(number)") }
    let copy = try TemporaryFolder()
    #expect(mkdir(copy.store, 0o700) == 0)
    #expect(mkdir(copy.store + "/registrations", 0o700) == 0)
    let target = copy.store + "/registrations/data.mdb"
    try fixture.store.backUpRegistrations(to: NewFile(target))
    #expect(throws: StoreError.self) { try fixture.store.backUpRegistrations(to: NewFile(target)) }
    let restored = try Fixture(copy)
    #expect(try restored.store.makeReader().counts().totalActive == 50)
    #expect(try restored.lookup("c7")?.token == "t7")
    #expect(try restored.inconsistency() == nil)
  }
}
