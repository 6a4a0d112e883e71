import Bytes
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct FullStoreTests {
  @Test func aFullMapRefusesInWordsAndTakesAgainAfterDeletes() async throws {
    let fixture = try Fixture { $0.mapSize = 512 << 10 }
    let store = fixture.store
    let padding = String(repeating: "x", count: 900)
    #expect(!store.lackedRoom(within: .seconds(3600)))
    let (stored, refusal) = try await fillUntilRefused { number in
      try await store.register("c\(number)", "\(padding)\(number)")
    }
    #expect(stored > 100)
    #expect(store.lackedRoom(within: .seconds(3600)))
    #expect(!store.lackedRoom(within: .zero))
    #expect(refusal.isTransient == true)
    #expect(refusal.description.contains("store.map_size"))
    #expect(try store.status().registrations.percent > 80)
    // Nothing is lost, and what shrinks the store still works.
    #expect(try store.makeReader().counts().totalActive == UInt64(stored))
    let index = try #require(try fixture.lookup("c0")?.summary.tokenIndex)
    #expect(try await store.tombstone("c0", index) == .tombstoned)
    for number in 0..<stored * 3 / 4 {
      #expect(try await store.delete("c\(number)"))
    }
    #expect(try store.status().registrations.percent < 80)
    try await store.register("new", "token")
    #expect(try fixture.lookup("new")?.token == "token")
    #expect(try fixture.inconsistency() == nil)
  }

  /// However many come at once: what deletes need is not theirs.
  @Test(arguments: [500, 1350, 4000]) func aBatchLeavesTheReserve(count: Int) async throws {
    let fixture = try Fixture { $0.mapSize = 1 << 20 }
    let store = fixture.store
    let gate = Gate()
    store.submitRegistrations(
      { (_) throws(StoreError) in
        gate.pass()
        // It is applied again when another operation of the batch fails.
        gate.open()
      }, completion: { _ in })
    let answers = Locked<[Result<RegistrationOutcome, StoreError>]>([])
    let padding = String(repeating: "x", count: 900)
    for number in 0..<count {
      let key = try ClientKey(client: "c\(number)")
      store.register(Registration(key: key, kind: .fcm, token: "\(padding)\(number)")) { answer in
        answers.withLock { $0.append(answer) }
      }
    }
    gate.open()
    store.close()
    let stored = answers.withLock { $0.count { (try? $0.get()) != nil } }
    #expect(answers.withLock { $0.count } == count)
    #expect((count == 500 ? 500...500 : 600...2000).contains(stored), "\(stored)")
    let space = store.registrations.environment.spaceInUse()
    let left = space.usablePages + space.reservedPages - space.highestPage
    #expect(left >= space.reservedPages / 3, "\(left) of \(space.reservedPages)")
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func aLargerMapTakesMore() async throws {
    let folder = try TemporaryFolder()
    let small = try { () throws in
      let fixture = try Fixture(folder) { $0.mapSize = 1 << 20 }
      fixture.store.close()
      return try fixture.store.status().registrations.mapSize
    }()
    #expect(small == 1 << 20)
    let fixture = try Fixture(folder) { $0.mapSize = 8 << 20 }
    #expect(try fixture.store.status().registrations.mapSize >= 8 << 20)
  }
}
