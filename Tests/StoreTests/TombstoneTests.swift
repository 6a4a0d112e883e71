import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct TombstoneTests {
  @Test func aDeadTokenIsATombstoneUntilItRegistersAgain() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1", authenticated: true)
    let living = try #require(try fixture.lookup("alice")?.summary)
    #expect(try await fixture.store.tombstone("alice", living.tokenIndex) == .tombstoned)
    let dead = try #require(try fixture.lookup("alice")?.summary)
    #expect(dead.tombstone == Tombstone(reason: "Unregistered", time: fixture.clock.now))
    #expect(try fixture.store.makeReader().counts().totalActive == 0)
    #expect(try fixture.store.makeReader().counts().tombstoned[.apns] == 1)
    #expect(try await fixture.store.tombstone("alice", living.tokenIndex) == .alreadyTombstoned)
    #expect(try fixture.inconsistency() == nil)

    #expect(try await fixture.store.register("alice", "t1").change == .revived)
    let revived = try #require(try fixture.lookup("alice")?.summary)
    #expect(revived.tombstone == nil)
    #expect(revived.authenticated)
    #expect(revived.generation > living.generation)
    #expect(try fixture.store.makeReader().counts().totalTombstoned == 0)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func anotherTokenByNowIsLeftAlone() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    let old = try #require(try fixture.lookup("alice")?.summary.tokenIndex)
    try await fixture.store.register("alice", "t2")
    #expect(try await fixture.store.tombstone("alice", old) == .superseded)
    #expect(try await fixture.store.tombstone("bob", old) == .notRegistered)
    #expect(try fixture.lookup("alice")?.summary.tombstone == nil)
  }

  @Test func aRegistrationAfterTheGatewaysTimestampCounts() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    let registered = fixture.clock.now
    let index = try #require(try fixture.lookup("alice")?.summary.tokenIndex)
    #expect(try await fixture.store.tombstone("alice", index, since: registered - 1) == .superseded)
    fixture.clock.advance(10)
    try await fixture.store.register("alice", "t1")
    #expect(try await fixture.store.tombstone("alice", index, since: registered + 9) == .superseded)
    #expect(try await fixture.store.tombstone("alice", index, since: registered + 10) == .tombstoned)
  }

  @Test func anotherClientMayTakeADeadToken() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    let index = try #require(try fixture.lookup("alice")?.summary.tokenIndex)
    _ = try await fixture.store.tombstone("alice", index)
    #expect(try await fixture.store.register("bob", "t1").displaced?.clientID == "alice")
    #expect(try fixture.lookup("alice") == nil)
    #expect(try fixture.store.makeReader().counts().totalTombstoned == 0)
    #expect(try fixture.inconsistency() == nil)
  }

  /// What should never be: an entry for a registration that lives.
  @Test func purgeTakesNothingThatLives() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    try await store.register("alice", "t1")
    let table = store.registrations
    let entry = RegistrationTable.tombstoneKey(5, StoredKey(try ClientKey(client: "alice")))
    try await wait { completion in
      store.submitRegistrations(
        { (transaction) throws(StoreError) in try transaction.put(table.tombstones, entry, []) },
        completion: completion)
    }
    #expect(try fixture.inconsistency() == "the list of tombstones is wrong")
    #expect(try await wait { store.purgeTombstones(before: 1000, completion: $0) } == 1)
    #expect(try fixture.lookup("alice")?.token == "t1")
    #expect(try fixture.inconsistency() == nil)
    // One that is dead, under another time.
    let index = try #require(try fixture.lookup("alice")?.summary.tokenIndex)
    #expect(try await store.tombstone("alice", index) == .tombstoned)
    let time = try #require(try fixture.lookup("alice")?.summary.tombstone?.time)
    let right = RegistrationTable.tombstoneKey(time, StoredKey(try ClientKey(client: "alice")))
    try await wait { completion in
      store.submitRegistrations(
        { (transaction) throws(StoreError) in
          try transaction.put(table.tombstones, entry, [])
          try transaction.delete(table.tombstones, right)
        }, completion: completion)
    }
    #expect(try fixture.inconsistency() == "a tombstone is missing in their list")
  }

  @Test func purgeTakesTheOldestOnly() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    for number in 0..<5 {
      try await store.register("c\(number)", "t\(number)")
      let index = try #require(try fixture.lookup("c\(number)")?.summary.tokenIndex)
      #expect(try await store.tombstone("c\(number)", index) == .tombstoned)
      fixture.clock.advance(1000)
    }
    try await store.register("c1", "t1")
    let cutoff = fixture.clock.now - 2000
    #expect(try await wait { store.purgeTombstones(before: cutoff, limit: 1, completion: $0) } == 1)
    #expect(try await wait { store.purgeTombstones(before: cutoff, limit: 9, completion: $0) } == 1)
    #expect(try store.makeReader().list(limit: 9).map(\.key.clientID) == ["c1", "c3", "c4"])
    #expect(try fixture.inconsistency() == nil)
  }
}
