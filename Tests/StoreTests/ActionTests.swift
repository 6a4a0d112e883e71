import Testing

@testable import Store

/// What was done by way of the admin page, as the store keeps it.
@Suite(.timeLimit(.minutes(10))) struct ActionTests {
  /// At a time from which these records are not old.
  private func early(_ folder: TemporaryFolder? = nil) throws -> Fixture {
    try Fixture(folder) { $0.clock = { 1000 } }
  }

  private func keep(_ record: ActionRecord, since cutoff: UInt64 = 0, in fixture: Fixture) async throws {
    let store = fixture.store
    _ = try await wait { store.keepAction(record, expiringBefore: cutoff, completion: $0) }
  }

  @Test func actionsComeBackAsTheyWereInTheOrderOfTime() async throws {
    let folder = try TemporaryFolder()
    let records = [
      ActionRecord(
        time: 5, action: "login", isGood: false, detail: "wrong", address: "::1", isSignedIn: false),
      ActionRecord(time: 7, action: "delete", target: "client", address: "192.0.2.1"),
      // In the same millisecond.
      ActionRecord(time: 7, action: "restore", target: "client"),
      ActionRecord(time: 9, action: "logout"),
    ]
    do {
      let fixture = try early(folder)
      for record in [records[1], records[2], records[0], records[3]] { try await keep(record, in: fixture) }
      fixture.store.close()
    }
    let reader = try early(folder).store.makeReader()
    #expect(try reader.actions(since: 0) == records)
    #expect(try reader.actions(since: 8) == [records[3]])
  }

  @Test func theLatestAreKeptAndStrangersPushOutOnlyStrangers() async throws {
    let fixture = try early()
    try await keep(ActionRecord(time: 1, action: "reload"), in: fixture)
    let store = fixture.store
    // Together: a transaction for many.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for time in UInt64(2)..<UInt64(2 + Store.actionLimit + 30) {
        group.addTask {
          _ = try await wait {
            store.keepAction(
              ActionRecord(time: time, action: "login", isGood: false, isSignedIn: false), expiringBefore: 0,
              completion: $0)
          }
        }
      }
      try await group.waitForAll()
    }
    let kept = try store.makeReader().actions(since: 0)
    #expect(kept.count == 1 + Store.actionLimit)
    #expect(kept.first?.action == "reload")
    let times = Set(kept.dropFirst().map(\.time))
    #expect(times.contains(UInt64(1 + Store.actionLimit + 30)))
  }

  @Test func oldOnesGo() async throws {
    let fixture = try early()
    for time in UInt64(1)...5 { try await keep(ActionRecord(time: time, action: "reload"), in: fixture) }
    try await keep(ActionRecord(time: 9, action: "reload"), since: 4, in: fixture)
    #expect(try fixture.store.makeReader().actions(since: 0).map(\.time) == [4, 5, 9])
  }

  @Test func longTextsAreCutAndStrangeBytesRefused() {
    let record = ActionRecord(
      time: 1, action: "reload", isGood: false, detail: String(repeating: "ü", count: 5000))
    let bytes = record.encode()
    #expect(bytes.count <= ActionRecord.maximumTextBytes + 20)
    let detail = Self.read(bytes)?.detail
    #expect(detail?.hasPrefix("üüü") == true && detail?.contains("\u{FFFD}") == false)
    for length in 0..<bytes.count { #expect(Self.read(Array(bytes.prefix(length))) == nil) }
    #expect(Self.read([9] + bytes.dropFirst()) == nil)
  }

  private static func read(_ bytes: [UInt8]) -> ActionRecord? {
    ActionRecord(time: 1, isSignedIn: true, bytes.span)
  }
}
