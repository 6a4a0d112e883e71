import Glibc
import Testing

@testable import Store

/// A command that has the store open, and one that would put something else in its place.
@Suite(.timeLimit(.minutes(10))) struct SoleUseTests {
  private func madeStore(backup: String? = nil) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let fixture = try Fixture(folder)
    try await fixture.store.register("alice", "t1")
    if let backup { try fixture.store.backUpRegistrations(to: NewFile(folder.path + backup)) }
    fixture.store.close()
    return folder
  }

  private func restore(_ folder: TemporaryFolder) throws -> Store.Restored {
    try Store.restore(
      from: folder.path + "/backup", to: folder.store, cipher: FakeCipher(), replacing: true, time: 7)
  }

  private func rotate(_ folder: TemporaryFolder) throws -> Int {
    try Store.rotateKey(
      path: folder.store, mapSize: 64 << 20, from: FakeCipher(), to: FakeCipher(key: 1),
      holding: SoleUse(folder: folder.store))
  }

  /// It would write rows that nobody can open, or into a file that is no longer the store.
  @Test func nothingTakesTheStoreFromUnderACommand() async throws {
    let folder = try await madeStore(backup: "/backup")
    do {
      let tool = try Fixture(folder) { $0.role = .tool }
      #expect(throws: StoreError.inUse(path: folder.store)) { try restore(folder) }
      #expect(throws: StoreError.inUse(path: folder.store)) { try rotate(folder) }
      try await tool.store.register("bob", "t2")
      tool.store.close()
    }
    do {
      let fixture = try Fixture(folder)
      #expect(try fixture.lookup("bob")?.token == "t2")
      #expect(try fixture.inconsistency() == nil)
      fixture.store.close()
    }
    #expect(try restore(folder).counts.totalActive == 1)
    #expect(try rotate(folder) == 1)
  }

  @Test func nobodyOpensAStoreThatIsBeingReplaced() async throws {
    let folder = try await madeStore()
    do {
      let use = try SoleUse(folder: folder.store)
      #expect(throws: StoreError.beingReplaced(path: folder.store)) {
        try Fixture(folder) { $0.role = .tool }
      }
      #expect(throws: StoreError.locked(path: folder.store, pid: getpid())) { try Fixture(folder) }
      #expect(throws: StoreError.locked(path: folder.store, pid: getpid())) {
        try SoleUse(folder: folder.store)
      }
      func hasKey(_ key: UInt8) throws -> Bool {
        try Store.hasKey(of: FakeCipher(key: key), path: folder.store, mapSize: 64 << 20, holding: use)
      }
      #expect(try hasKey(0))
      #expect(try !hasKey(1))
    }
    let tool = try Fixture(folder) { $0.role = .tool }
    #expect(try tool.lookup("alice")?.token == "t1")
  }
}
