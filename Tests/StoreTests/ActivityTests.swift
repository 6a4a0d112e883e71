import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ActivityTests {
  /// Runs what the writer does about once a second.
  private func upkeep(_ fixture: Fixture) throws {
    let marks = try #require(fixture.store.deliveries)
    let upkeep = DeliveriesUpkeep(
      marks, activity: fixture.store.activity,
      folder: DeliveriesFolder(path: fixture.folder.store + "/deliveries"), options: fixture.store.options)
    _ = upkeep.perform(in: marks.environment, now: 0)
  }

  private func fixture(_ folder: TemporaryFolder? = nil) throws -> Fixture {
    try Fixture(folder) { $0.upkeepInterval = .seconds(3600) }
  }

  @Test func pushesAreCounted() throws {
    let fixture = try fixture()
    let reader = try fixture.store.makeReader()
    let (alice, bob) = (try ClientKey(client: "alice"), try ClientKey(client: "bob"))
    fixture.store.notePush(alice, .delivered)
    fixture.store.notePush(alice, .failed)
    fixture.store.notePush(bob, .deadToken)
    // Not written yet.
    #expect(try reader.activity(alice) == nil)
    try upkeep(fixture)
    fixture.clock.advance(5000)
    fixture.store.notePush(alice, .delivered)
    try upkeep(fixture)
    let activity = try #require(try reader.activity(alice))
    #expect(activity.delivered == 2 && activity.failed == 1)
    #expect(activity.lastOutcome == .delivered && activity.lastTime == fixture.clock.now / 1000)
    #expect(try reader.activity(bob)?.lastOutcome == .deadToken)
    #expect(try reader.activity(ClientKey(client: "carol")) == nil)
  }

  @Test func manyPushesTakeOneWrite() throws {
    let fixture = try fixture()
    let marks = try #require(fixture.store.deliveries)
    let before = marks.environment.lastTransaction
    for number in 0..<1000 {
      fixture.store.notePush(try ClientKey(client: "c\(number)"), .delivered)
    }
    #expect(marks.environment.lastTransaction == before)
    try upkeep(fixture)
    #expect(marks.environment.lastTransaction == before + 1)
    // And none when there is nothing.
    try upkeep(fixture)
    #expect(marks.environment.lastTransaction == before + 1)
  }

  @Test func itIsForgottenInTime() throws {
    let fixture = try fixture()
    let reader = try fixture.store.makeReader()
    // More than one sweep looks at.
    for number in 0..<1500 { fixture.store.notePush(try ClientKey(client: "c\(number)"), .delivered) }
    try upkeep(fixture)
    fixture.clock.advance(91 * 86_400_000)
    fixture.store.notePush(try ClientKey(client: "c3"), .delivered)
    for _ in 0..<3 { try upkeep(fixture) }
    #expect(try reader.activity(ClientKey(client: "c0")) == nil)
    #expect(try reader.activity(ClientKey(client: "c999")) == nil)
    #expect(try reader.activity(ClientKey(client: "c3"))?.delivered == 2)
  }

  @Test func itGoesWithItsClientAndOutlivesTheProcess() async throws {
    let folder = try TemporaryFolder()
    let (alice, bob) = (try ClientKey(client: "alice"), try ClientKey(client: "bob"))
    do {
      let fixture = try fixture(folder)
      try await fixture.store.register("alice", "t1")
      fixture.store.notePush(alice, .delivered)
      fixture.store.notePush(bob, .delivered)
      try upkeep(fixture)
      #expect(try await fixture.store.delete("alice"))
      fixture.store.notePush(bob, .failed)
      // Closing writes what waits.
      fixture.store.close()
    }
    let fixture = try fixture(folder)
    let reader = try fixture.store.makeReader()
    #expect(try reader.activity(alice) == nil)
    #expect(try reader.activity(bob)?.failed == 1)
  }
}
