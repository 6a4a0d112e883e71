import Glibc
import Testing

@testable import Store

/// What is kept goes in time, also when nothing of its kind is added.
@Suite(.timeLimit(.minutes(10))) struct RetentionTests {
  private let day: UInt64 = 86_400_000

  @Test func actionsAndHistoryGoByThemselves() async throws {
    let fixture = try Fixture { $0.upkeepInterval = .milliseconds(1) }
    let store = fixture.store
    let reader = try store.makeReader()
    let now = fixture.clock.now
    for isSignedIn in [true, false] {
      let record = ActionRecord(time: now, action: "login", isSignedIn: isSignedIn)
      try await wait { store.keepAction(record, expiringBefore: 0, completion: $0) }
    }
    try await wait {
      store.changeHistory(minute: now / 60_000, expiringBefore: 0, { _ in [1] }, completion: $0)
    }
    func kept() throws -> (actions: Int, minutes: Int) {
      var minutes = 0
      try reader.forEachHistory(in: 0..<UInt64.max) { (_, _) in minutes += 1 }
      return (try reader.actions(since: 0).count, minutes)
    }
    fixture.clock.advance(31 * day)
    try await store.upkeep { try kept().minutes == 0 }
    #expect(try kept() == (2, 0))
    fixture.clock.advance(60 * day)
    try await store.upkeep { try kept().actions == 0 }
    #expect(try kept() == (0, 0))
  }

  @Test func whatWasSetAsideGoesAfterAMonth() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    let now = fixture.clock.now / 1000
    let names = [
      "registrations/data.mdb.replaced-\(now)", "deliveries/data.mdb.damaged-\(now)",
      "registrations/data.mdb.replaced-\(now - 86_400)", "registrations/data.mdb.replaced-by-hand",
    ]
    for name in names { try fixture.folder.write(name, [1]) }
    #expect(try store.removeOldSetAside() == [])
    fixture.clock.advance(29 * day + day / 2)
    #expect(try store.removeOldSetAside() == [fixture.folder.store + "/" + names[2]])
    fixture.clock.advance(day)
    #expect(Set(try store.removeOldSetAside()) == Set(names[..<2].map { fixture.folder.store + "/" + $0 }))
    #expect(fixture.folder.size(names[3]) == 1)
    #expect(fixture.folder.size("registrations/data.mdb") > 0)
    try await store.register("alice", "t1")
  }

  @Test func theCountsOfADisplacedClientGo() async throws {
    let fixture = try Fixture { $0.upkeepInterval = .milliseconds(1) }
    let store = fixture.store
    let reader = try store.makeReader()
    let alice = try ClientKey(client: "alice")
    try await store.register("alice", "token")
    store.notePush(alice, .delivered)
    try await store.upkeep { try reader.activity(alice) != nil }
    #expect(try reader.activity(alice)?.delivered == 1)
    #expect(try await store.register("bob", "token").displaced == alice)
    try await store.upkeep { try reader.activity(alice) == nil }
    #expect(try reader.activity(alice) == nil)
  }
}
