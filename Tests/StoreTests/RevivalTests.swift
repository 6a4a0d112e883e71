import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct RevivalTests {
  @Test func aDeadTokenIsUsedAgain() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    let before = try #require(try fixture.lookup("alice"))
    _ = try await fixture.store.tombstone("alice", before.summary.tokenIndex)
    #expect(try fixture.store.makeReader().counts().totalTombstoned == 1)
    let store = fixture.store
    let alice = try ClientKey(client: "alice")
    #expect(try await wait { store.revive(alice, completion: $0) } == .revived)
    let after = try #require(try fixture.lookup("alice"))
    #expect(after.summary.tombstone == nil)
    #expect(after.token == before.token)
    #expect(after.summary.generation != before.summary.generation)
    #expect(try fixture.store.makeReader().counts().totalTombstoned == 0)
    #expect(try fixture.inconsistency() == nil)
    #expect(try await wait { store.revive(alice, completion: $0) } == .active)
    let bob = try ClientKey(client: "bob")
    #expect(try await wait { store.revive(bob, completion: $0) } == .notRegistered)
  }
}
