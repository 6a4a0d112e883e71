import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct KeyRotationTests {
  private let old = FakeCipher(key: 0)
  private let new = FakeCipher(key: 1)

  @Test func everyTokenIsSealedAnew() async throws {
    let folder = try TemporaryFolder()
    do {
      let fixture = try Fixture(folder)
      // More than a batch.
      let clients = (0..<1203).map { "c\($0)" }
      for client in clients {
        let registration = Registration(
          key: try ClientKey(client: client), kind: .apns, token: "token of \(client)")
        fixture.store.register(registration) { _ in }
      }
      try await fixture.store.register("last", "last")
      let index = try #require(try fixture.lookup("c7")?.summary.tokenIndex)
      #expect(try await fixture.store.tombstone("c7", index) == .tombstoned)
      #expect(throws: StoreError.self) { try rotate(folder) }
      fixture.store.close()
    }
    #expect(try rotate(folder) == 1204)
    #expect(throws: StoreError.wrongKey(path: folder.store + "/registrations")) { try Fixture(folder) }
    let fixture = try Fixture(folder, cipher: new)
    let reader = try fixture.store.makeReader()
    #expect(try reader.counts().totalActive == 1203)
    #expect(try fixture.lookup("c1202")?.token == "token of c1202")
    #expect(try reader.client(kind: .apns, token: "token of c500")?.clientID == "c500")
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func aTransactionThatDoesNotEndLeavesTheOldKey() async throws {
    let folder = try TemporaryFolder()
    let fixture = try Fixture(folder)
    try await fixture.store.register("alice", "t1")
    do {
      let table = fixture.store.registrations
      var transaction = try WriteTransaction(table.environment)
      #expect(try table.reseal(with: new, in: &transaction) == 1)
      // Dropped without a commit, as by a crash.
    }
    #expect(try fixture.lookup("alice")?.token == "t1")
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func withAnotherOldKeyNothingChanges() async throws {
    let folder = try TemporaryFolder()
    do {
      let fixture = try Fixture(folder)
      try await fixture.store.register("alice", "t1")
      fixture.store.close()
    }
    #expect(throws: StoreError.wrongKey(path: folder.store + "/registrations")) {
      try Store.rotateKey(
        path: folder.store, mapSize: 64 << 20, from: FakeCipher(key: 5), to: new,
        holding: SoleUse(folder: folder.store))
    }
    #expect(try Fixture(folder).lookup("alice")?.token == "t1")
  }

  private func rotate(_ folder: TemporaryFolder) throws(StoreError) -> Int {
    try Store.rotateKey(
      path: folder.store, mapSize: 64 << 20, from: old, to: new,
      holding: SoleUse(folder: folder.store))
  }
}
