import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct SearchTests {
  /// Forty clients, apns and fcm in turn, every tenth a tombstone.
  private func fill(_ fixture: Fixture) async throws {
    for index in 0..<40 {
      let registration = Registration(
        key: try ClientKey(client: "c\(100 + index)"), kind: index % 2 == 0 ? .apns : .fcm,
        token: "token-\(index)")
      let store = fixture.store
      _ = try await wait { store.register(registration, completion: $0) }
    }
    for index in stride(from: 0, to: 40, by: 10) {
      let record = try #require(try fixture.lookup("c\(100 + index)"))
      _ = try await fixture.store.tombstone("c\(100 + index)", record.summary.tokenIndex)
    }
  }

  /// Every page of a filter, whatever the limits: all of it, once, in order.
  @Test(arguments: [(3, 1000), (100, 7), (1, 1), (7, 5)])
  func pagesAreWholeAndInOrder(_ limit: Int, _ rowLimit: Int) async throws {
    let fixture = try Fixture()
    try await fill(fixture)
    let reader = try fixture.store.makeReader()
    for (filter, expected) in [
      (RegistrationFilter(), 40), (RegistrationFilter(kind: .fcm), 20),
      (RegistrationFilter(state: .tombstoned), 4), (RegistrationFilter(kind: .apns, state: .active), 16),
      (RegistrationFilter(kind: .fcm, state: .tombstoned), 0),
    ] {
      var found: [String] = []
      var cursor: String?
      var rounds = 0
      repeat {
        let page = try reader.page(
          prefix: "c", after: cursor, filter: filter, limit: limit, rowLimit: rowLimit)
        #expect(page.scanned <= rowLimit && page.items.count <= limit)
        found += page.items.map(\.key.clientID)
        cursor = page.next
        rounds += 1
      } while cursor != nil && rounds < 100
      #expect(found.count == expected, "\(filter)")
      let isInOrder = found == Set(found).sorted()
      #expect(isInOrder, "\(filter)")
    }
    #expect(try reader.page(prefix: "x", limit: 10, rowLimit: 10).items.isEmpty)
    #expect(try reader.summary(ClientKey(client: "nobody")) == nil)
  }

  @Test func whatWasPushedToIsNotAmongTheNeverPushed() async throws {
    let fixture = try Fixture()
    try await fill(fixture)
    fixture.store.notePush(try ClientKey(client: "c101"), .delivered)
    let reader = try fixture.store.makeReader()
    // Writes what was noted.
    fixture.store.close()
    let page = try reader.page(
      prefix: "c10", filter: RegistrationFilter(neverPushed: true), limit: 100, rowLimit: 100)
    #expect(page.items.count == 9)
    #expect(!page.items.contains { $0.key.clientID == "c101" })
  }

  @Test func historyIsKeptByMinuteAndExpires() async throws {
    // At a time from which these minutes are not old.
    let fixture = try Fixture { $0.clock = { 1000 } }
    let store = fixture.store
    for minute in UInt64(1)...5 {
      _ = try await wait {
        store.changeHistory(
          minute: minute, expiringBefore: 0, { ($0 ?? []) + [UInt8(minute)] }, completion: $0)
      }
    }
    _ = try await wait {
      store.changeHistory(minute: 5, expiringBefore: 3, { ($0 ?? []) + [9] }, completion: $0)
    }
    var found: [UInt64: [UInt8]] = [:]
    try store.makeReader().forEachHistory(in: 0..<5) { found[$0] = [UInt8](copying: $1) }
    #expect(found == [3: [3], 4: [4]])
    try store.makeReader().forEachHistory(in: 5..<6) { found[$0] = [UInt8](copying: $1) }
    #expect(found[5] == [5, 9])
  }
}
