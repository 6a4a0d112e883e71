import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ImportTests {
  private func record(
    _ client: String, _ token: String, updatedAt: UInt64, tombstone: Tombstone? = nil
  ) throws -> ImportedRegistration {
    ImportedRegistration(
      registration: Registration(
        key: try ClientKey(client: client), kind: .fcm, token: token, alwaysRaw: true, authenticated: true),
      createdAt: updatedAt - 10, updatedAt: updatedAt, tombstone: tombstone)
  }

  @Test func historyIsKept() async throws {
    let fixture = try Fixture()
    let tombstone = Tombstone(reason: "UNREGISTERED", time: 900)
    let records = [
      try record("alice", "t1", updatedAt: 500),
      try record("bob", "t2", updatedAt: 600, tombstone: tombstone),
    ]
    #expect(
      try await wait { fixture.store.importRegistrations(records, completion: $0) } == [.stored, .stored])
    let alice = try #require(try fixture.lookup("alice"))
    #expect(alice.token == "t1")
    #expect(alice.summary.createdAt == 490 && alice.summary.updatedAt == 500)
    #expect(alice.summary.alwaysRaw && alice.summary.authenticated)
    #expect(try fixture.lookup("bob")?.summary.tombstone == tombstone)
    #expect(try fixture.store.makeReader().counts().totalTombstoned == 1)
    #expect(try fixture.inconsistency() == nil)
    // Once more: nothing changes.
    let reader = try fixture.store.makeReader()
    #expect(try records.map { try reader.wouldImport($0) } == [false, false])
    #expect(try await wait { fixture.store.importRegistrations(records, completion: $0) } == [.kept, .kept])
    #expect(try fixture.lookup("alice") == alice)
    #expect(try await wait { fixture.store.purgeTombstones(before: 901, completion: $0) } == 1)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func timesBeyondAllSenseAreCutAndNothingElse() async throws {
    let fixture = try Fixture()
    let records = [
      try record("alice", "t1", updatedAt: .max, tombstone: Tombstone(reason: "UNREGISTERED", time: .max))
    ]
    #expect(try await wait { fixture.store.importRegistrations(records, completion: $0) } == [.stored])
    let alice = try #require(try fixture.lookup("alice")?.summary)
    #expect(alice.createdAt == (1 << 48) - 1 && alice.updatedAt == (1 << 48) - 1)
    #expect(alice.tombstone == Tombstone(reason: "UNREGISTERED", time: (1 << 48) - 1))
    #expect(try await wait { fixture.store.importRegistrations(records, completion: $0) } == [.kept])
    #expect(try await wait { fixture.store.purgeTombstones(before: .max, completion: $0) } == 1)
    #expect(try fixture.inconsistency() == nil)
    let tombstones = fixture.store.registrations.tombstones
    #expect(try ReadSlot(fixture.store.registrations.environment).begin().count(tombstones) == 0)
  }

  @Test func newerInTheStoreWins() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "mine", kind: .fcm)
    let now = fixture.clock.now
    let records = [
      try record("alice", "older", updatedAt: now - 1), try record("thief", "mine", updatedAt: now - 1),
      try record("bob", "t", updatedAt: now - 2), try record("carol", "t", updatedAt: now - 1),
      try record("dave", "t", updatedAt: now - 3),
    ]
    let outcomes = try await wait { fixture.store.importRegistrations(records, completion: $0) }
    #expect(outcomes == [.kept, .kept, .stored, .stored, .kept])
    #expect(try fixture.lookup("alice")?.token == "mine")
    // Of one token's rows the newest, whatever their order.
    #expect(try fixture.lookup("bob") == nil)
    #expect(try fixture.lookup("carol")?.token == "t")
    #expect(try fixture.inconsistency() == nil)
  }

  /// The Rust server's rows have the time of their first registration only, also when token or client ID change.
  @Test func atTheSameTimeWhatChangedIsTaken() async throws {
    let fixture = try Fixture()
    let first = [
      try record("alice", "t1", updatedAt: 5000), try record("bob", "t2", updatedAt: 6000),
      try record("carol", "t3", updatedAt: 7000),
    ]
    _ = try await wait { fixture.store.importRegistrations(first, completion: $0) }
    // Alice has a new token, Bob's device a new client ID, and Carol is the same.
    let second = [
      try record("alice", "t4", updatedAt: 5000), try record("dave", "t2", updatedAt: 6000),
      try record("carol", "t3", updatedAt: 7000),
    ]
    for expected in [[ImportOutcome.stored, .stored, .kept], [.kept, .kept, .kept]] {
      let outcomes = try await wait { fixture.store.importRegistrations(second, completion: $0) }
      #expect(outcomes == expected)
    }
    #expect(try fixture.lookup("alice")?.token == "t4")
    #expect(try fixture.lookup("bob") == nil)
    #expect(try fixture.lookup("dave")?.token == "t2")
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func aBadRecordLeavesTheWholeBatchOut() async throws {
    let fixture = try Fixture()
    let records = [try record("alice", "t1", updatedAt: 500), try record("bob", "", updatedAt: 500)]
    await #expect(throws: StoreError.self) {
      try await wait { fixture.store.importRegistrations(records, completion: $0) }
    }
    #expect(try fixture.lookup("alice") == nil)
  }

  @Test func everyRecordIsVisitedInOrder() async throws {
    let fixture = try Fixture()
    for client in ["b", "a", "c"] { try await fixture.store.register(client, "token of \(client)") }
    var seen: [String] = []
    try fixture.store.makeReader().forEachRecord { record in
      seen.append(record.token)
      return seen.count < 2
    }
    #expect(seen == ["token of a", "token of b"])
  }
}
