import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct RegistrationTests {
  @Test func aRegistrationComesBackAsItWasStored() async throws {
    let fixture = try Fixture()
    let outcome = try await fixture.store.register(
      "alice", "t1", kind: .apnsSandbox, alwaysRaw: true, authenticated: true)
    #expect(outcome == RegistrationOutcome(change: .created, displaced: nil))
    let record = try #require(try fixture.lookup("alice"))
    #expect(record.token == "t1")
    #expect(record.summary.kind == .apnsSandbox)
    #expect(record.summary.alwaysRaw)
    #expect(record.summary.authenticated)
    #expect(record.summary.createdAt == fixture.clock.now)
    #expect(record.summary.updatedAt == fixture.clock.now)
    #expect(record.summary.tombstone == nil)
    #expect(try fixture.lookup("bob") == nil)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func itOutlivesTheProcess() async throws {
    let folder = try TemporaryFolder()
    do {
      let fixture = try Fixture(folder)
      try await fixture.store.register("alice", "t1")
      fixture.store.close()
    }
    let fixture = try Fixture(folder)
    #expect(try fixture.lookup("alice")?.token == "t1")
    #expect(fixture.warnings.withLock { $0 } == [])
  }

  @Test func aNewTokenReplacesTheClientsOldOne() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1", kind: .apns)
    let before = try #require(try fixture.lookup("alice")?.summary)
    fixture.clock.advance(5)
    let outcome = try await fixture.store.register("alice", "t2", kind: .fcm)
    #expect(outcome == RegistrationOutcome(change: .updated, displaced: nil))
    let after = try #require(try fixture.lookup("alice"))
    #expect(after.token == "t2")
    #expect(after.summary.createdAt == before.createdAt)
    #expect(after.summary.updatedAt == before.updatedAt + 5)
    #expect(after.summary.generation == before.generation)
    let reader = try fixture.store.makeReader()
    #expect(try reader.client(kind: .apns, token: "t1") == nil)
    #expect(try reader.client(kind: .fcm, token: "t2")?.clientID == "alice")
    #expect(try reader.counts().active == [.apns: 0, .apnsSandbox: 0, .fcm: 1])
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func aTokenUnderAnotherClientTakesItFromTheFirst() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    let outcome = try await fixture.store.register("bob", "t1")
    #expect(outcome.change == .created)
    #expect(outcome.displaced?.clientID == "alice")
    #expect(try fixture.lookup("alice") == nil)
    #expect(try fixture.lookup("bob")?.token == "t1")
    #expect(try fixture.inconsistency() == nil)
    // Coming back, alice is a new client: marks of her first life must not count.
    let second = try await fixture.store.register("alice", "t9")
    #expect(second.change == .created)
    #expect(try fixture.lookup("alice")?.summary.generation == 3)
  }

  @Test func clientAndTokenConflictAtOnce() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    try await fixture.store.register("bob", "t2")
    let outcome = try await fixture.store.register("alice", "t2")
    #expect(outcome.change == .updated)
    #expect(outcome.displaced?.clientID == "bob")
    #expect(try fixture.lookup("alice")?.token == "t2")
    #expect(try fixture.lookup("bob") == nil)
    #expect(try fixture.store.makeReader().client(kind: .apns, token: "t1") == nil)
    #expect(try fixture.store.makeReader().counts().totalActive == 1)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func theSameTextAtAnotherGatewayIsAnotherToken() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1", kind: .apns)
    let outcome = try await fixture.store.register("bob", "t1", kind: .apnsSandbox)
    #expect(outcome.displaced == nil)
    #expect(try fixture.lookup("alice") != nil)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func registeringTheSameAgainRefreshes() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1", authenticated: true)
    let before = try #require(try fixture.lookup("alice"))
    fixture.clock.advance(1000)
    try await fixture.store.register("alice", "t1", authenticated: false)
    var expected = before
    expected.summary.updatedAt += 1000
    // Still marked as authenticated: that sticks.
    #expect(try fixture.lookup("alice") == expected)
    #expect(try fixture.store.makeReader().counts().totalActive == 1)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func deletingTwiceIsFine() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    #expect(try await fixture.store.delete("alice"))
    #expect(try await fixture.store.delete("alice") == false)
    #expect(try fixture.lookup("alice") == nil)
    #expect(try fixture.store.makeReader().counts().totalActive == 0)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func idsAtTheirLimits() async throws {
    let fixture = try Fixture()
    let app = String(repeating: "a", count: 64)
    let client = String(repeating: "ü", count: 127) + "x"
    #expect(client.utf8.count == 255)
    let key = try ClientKey(app: app, client: client)
    let token = String(repeating: "t", count: Registration.maximumTokenBytes)
    let registration = Registration(key: key, kind: .fcm, token: token)
    _ = try await wait { fixture.store.register(registration, completion: $0) }
    let record = try #require(try fixture.store.makeReader().lookup(key))
    #expect(record.token == token)
    #expect(record.summary.key.appID == app)
    #expect(record.summary.key.clientID == client)
    let outcome = try await wait {
      fixture.store.tombstone(
        key, ifTokenIndex: record.summary.tokenIndex, since: nil,
        reason: String(repeating: "r", count: 300), completion: $0)
    }
    #expect(outcome == .tombstoned)
    #expect(try fixture.store.makeReader().lookup(key)?.summary.tombstone?.reason.utf8.count == 64)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func whatDoesNotFitIsRefused() async throws {
    #expect(throws: StoreError.self) { try ClientKey(client: "") }
    #expect(throws: StoreError.self) { try ClientKey(client: String(repeating: "c", count: 256)) }
    #expect(throws: StoreError.self) { try ClientKey(app: "", client: "c") }
    #expect(throws: StoreError.self) { try ClientKey(app: "a\0b", client: "c") }
    #expect(throws: StoreError.self) { try ClientKey(app: String(repeating: "a", count: 65), client: "c") }
    let fixture = try Fixture()
    await #expect(throws: StoreError.self) { try await fixture.store.register("alice", "") }
    await #expect(throws: StoreError.self) {
      try await fixture.store.register(
        "alice", String(repeating: "t", count: Registration.maximumTokenBytes + 1))
    }
    #expect(try fixture.lookup("alice") == nil)
  }

  @Test func sealedTokensCannotBeSwappedBetweenRows() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "t1")
    try await fixture.store.register("bob", "t2")
    fixture.store.close()
    let table = fixture.store.registrations
    var transaction = try WriteTransaction(table.environment)
    let (alice, bob) = (StoredKey(try ClientKey(client: "alice")), StoredKey(try ClientKey(client: "bob")))
    let row = try #require(try transaction.copy(table.registrations, bob.bytes))
    try transaction.put(table.registrations, alice.bytes, row)
    try transaction.commit()
    #expect(throws: StoreError.cipher("sealed for another row")) { try fixture.lookup("alice") }
    #expect(try fixture.inconsistency() != nil)
  }

  @Test func listsPageInOrder() async throws {
    let fixture = try Fixture()
    for client in ["b1", "a1", "b3", "b2", "c1", "b"] {
      try await fixture.store.register(client, "token of \(client)")
    }
    let other = Registration(key: try ClientKey(app: "other", client: "b2x"), kind: .fcm, token: "x")
    _ = try await wait { fixture.store.register(other, completion: $0) }
    let reader = try fixture.store.makeReader()
    func page(_ prefix: String, after last: String?, _ limit: Int) throws -> [String] {
      try reader.list(prefix: prefix, after: last, limit: limit).map(\.key.clientID)
    }
    #expect(try page("", after: nil, 100) == ["a1", "b", "b1", "b2", "b3", "c1"])
    #expect(try page("", after: "b", 2) == ["b1", "b2"])
    #expect(try page("b", after: "b2", 9) == ["b3"])
    #expect(try page("b", after: "a", 1) == ["b"])
    #expect(try page("b", after: "c", 1) == [])
    #expect(try page("d", after: nil, 1) == [])
    #expect(try page("", after: nil, 0) == [])
    #expect(try page("", after: String(repeating: "b", count: 600), 9) == ["c1"])
  }

  @Test func descriptionsHideTheToken() async throws {
    let fixture = try Fixture()
    try await fixture.store.register("alice", "very-secret-token")
    let record = try fixture.lookup("alice")
    var dumped = ""
    dump(record, to: &dumped)
    #expect(!"\(String(describing: record)) \(dumped)".contains("secret"))
  }

  @Test func settingsAreBytesByName() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    let reader = try store.makeReader()
    #expect(try reader.setting("vapid") == nil)
    try await wait { store.setSetting("vapid", to: [1, 2, 3], completion: $0) }
    #expect(try reader.setting("vapid") == [1, 2, 3])
    try await wait { store.setSetting("vapid", to: nil, completion: $0) }
    #expect(try reader.setting("vapid") == nil)
    await #expect(throws: StoreError.self) {
      try await wait { store.setSetting("", to: [1], completion: $0) }
    }
  }
}
