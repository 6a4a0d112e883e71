import Bytes
import Glibc
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ConcurrencyTests {
  @Test func manyRegistrationsOfOneClientLeaveOne() async throws {
    let fixture = try Fixture()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await fixture.store.register("alice", "t\(number)") }
      }
      try await group.waitForAll()
    }
    let reader = try fixture.store.makeReader()
    #expect(try reader.list(limit: 200).count == 1)
    #expect(try reader.counts().totalActive == 1)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func manyRegistrationsOfOneTokenLeaveOne() async throws {
    let fixture = try Fixture()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await fixture.store.register("c\(number)", "t") }
      }
      try await group.waitForAll()
    }
    let reader = try fixture.store.makeReader()
    let left = try reader.list(limit: 200)
    #expect(left.count == 1)
    #expect(try reader.client(kind: .apns, token: "t") == left.first?.key)
    #expect(try reader.counts().totalActive == 1)
    #expect(try fixture.inconsistency() == nil)
  }

  @Test func whatWaitsSharesACommit() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    // The writer is held in a completion while a thousand operations gather.
    let gate = Gate()
    store.setSetting("hold", to: [1]) { _ in gate.pass() }
    let before = store.registrationCommitCount
    try await withThrowingTaskGroup(of: Void.self) { group in
      let waiting = Locked(0)
      for number in 0..<1000 {
        let key = try ClientKey(client: "c\(number)")
        let registration = Registration(key: key, kind: .fcm, token: "t\(number)")
        group.addTask {
          _ = try await wait { completion in
            store.register(registration, completion: completion)
            let count = waiting.withLock { count in
              count += 1
              return count
            }
            if count == 1000 { gate.open() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(store.registrationCommitCount - before <= 3)
    #expect(try store.makeReader().counts().active[.fcm] == 1000)
  }

  /// Two clients swap two tokens all the time, in one transaction each: no reader may see the moment between.
  @Test func readersNeverSeeHalfAWrite() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    try await store.register("keeper", "t0")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<300 {
          try await store.register(number % 2 == 0 ? "alice" : "bob", "shared")
        }
      }
      for _ in 0..<2 {
        group.addTask {
          let reader = try store.makeReader()
          var last: UInt64 = 0
          for _ in 0..<300 {
            #expect(try reader.inconsistency() == nil)
            let generation = try reader.list(limit: 9).map(\.generation).max() ?? 0
            #expect(generation >= last)
            last = generation
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.makeReader().counts().totalActive == 2)
  }

  /// Pages and backups, taken while registrations come and go between those that stay.
  @Test func pagesAndBackupsAreWholeBesideWriters() async throws {
    let fixture = try Fixture()
    let store = fixture.store
    let staying = (100..<400).map { "stays-\($0)" }
    for client in staying { store.register(try registration(client)) { _ in } }
    try await store.register("stays-400", "token of stays-400")
    let isOver = Locked(false)
    let writer = Task {
      var number = 0
      while !isOver.withLock({ $0 }) {
        let client = "stays-\(100 + number % 300)-goes"
        try await store.register(client, "token of \(client)")
        _ = try await store.delete(client)
        number += 1
      }
      return number
    }
    let reader = try store.makeReader()
    for round in 0..<5 {
      let before = store.registrationCommitCount
      var seen: [String] = []
      var last: String?
      repeat {
        let page = try reader.page(after: last, limit: 20, rowLimit: 1000)
        seen += page.items.map(\.key.clientID)
        last = page.next
        // Some writes between two pages.
        try await store.register("stays-400", "token of stays-400")
      } while last != nil
      #expect(seen == seen.sorted() && Set(seen).count == seen.count, "round \(round)")
      #expect(seen.filter { !$0.hasSuffix("goes") } == staying + ["stays-400"], "round \(round)")
      #expect(store.registrationCommitCount > before)
    }
    for _ in 0..<3 {
      let copy = try TemporaryFolder()
      #expect(mkdir(copy.store, 0o700) == 0 && mkdir(copy.store + "/registrations", 0o700) == 0)
      try store.backUpRegistrations(to: NewFile(copy.store + "/registrations/data.mdb"))
      let restored = try Fixture(copy)
      #expect(try restored.inconsistency() == nil)
      let active = try restored.store.makeReader().counts().totalActive
      #expect((301...302).contains(active))
    }
    isOver.withLock { $0 = true }
    #expect(try await writer.value > 0)
    #expect(try fixture.inconsistency() == nil)
  }

  private func registration(_ client: String) throws -> Registration {
    Registration(key: try ClientKey(client: client), kind: .apns, token: "token of \(client)")
  }

  @Test func aReaderSeesTheLatestCommit() async throws {
    let fixture = try Fixture()
    let reader = try fixture.store.makeReader()
    let key = try ClientKey(client: "alice")
    for number in 0..<20 {
      try await fixture.store.register("alice", "t\(number)")
      #expect(try reader.lookup(key)?.token == "t\(number)")
    }
  }
}
