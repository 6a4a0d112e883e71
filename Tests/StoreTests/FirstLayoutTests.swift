import Bytes
import Glibc
import Testing

@testable import Store

/// Stores as the first layout had them, written byte by byte.
@Suite(.timeLimit(.minutes(10))) struct FirstLayoutTests {
  private struct Old {
    var app = "default"
    var client: String
    var kind = TokenKind.apns
    var token: String
    var tombstone: Tombstone?

    var key: [UInt8] { Array(app.utf8) + [0] + Array(client.utf8) }
    var index: [UInt8] { FakeCipher().index(Array(app.utf8) + [0, kind.rawValue] + Array(token.utf8)) }

    func row(generation: UInt64) throws -> [UInt8] {
      var row: [UInt8] = [1, kind.rawValue, 1 | 2 | (tombstone == nil ? 0 : 4), 0]
      row.append(bigEndian: 1_700_000_000_001 as UInt64)
      row.append(bigEndian: 1_700_000_000_002 as UInt64)
      row.append(bigEndian: generation)
      let sealed = try FakeCipher().seal(Array(token.utf8), context: key)
      row += index
      row.append(bigEndian: UInt16(sealed.count))
      row += sealed
      if let tombstone {
        row.append(bigEndian: tombstone.time)
        row.append(UInt8(tombstone.reason.utf8.count))
        row += tombstone.reason.utf8
      }
      return row
    }
  }

  /// More than one batch, with clients of every sort.
  private static var clients: [Old] {
    var clients = (0..<2500).map { number in
      var text: [UInt8] = []
      let key = FakeCipher().index(Array(String(number).utf8))
      _ = Ed25519Multibase.appendText(of: key.span, to: &text)
      return Old(
        client: number % 5 == 4 ? "client-\(number)" : String(decoding: text, as: UTF8.self),
        kind: number % 2 == 0 ? .apns : .fcm, token: "token-\(number)")
    }
    clients.append(
      Old(
        client: "dead", token: "dead-token",
        tombstone: Tombstone(reason: "Unregistered", time: 1_700_000_000_003)))
    clients.append(Old(app: "other", client: "elsewhere", token: "token-0"))
    return clients
  }

  private func makeStore(_ clients: [Old], mapSize: UInt64 = 64 << 20) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Folder.create(folder.store)
    let environment = try LMDBEnvironment(
      path: folder.store + "/registrations",
      settings: .init(mapSize: mapSize, isDurable: true, mayCreate: true))
    var transaction = try WriteTransaction(environment)
    let meta = try environment.openTable("meta", in: transaction)
    let registrations = try environment.openTable("registrations", in: transaction)
    let tokens = try environment.openTable("tokens", in: transaction)
    let tombstones = try environment.openTable("tombstones", in: transaction)
    let settings = try environment.openTable("settings", in: transaction)
    try Schema(migrations: []).prepare(meta, in: &transaction)
    try transaction.put(meta, RegistrationTable.MetaKey.keyCheck, FakeCipher().keyCheck)
    try transaction.put(settings, Array("relay".utf8), [1, 2, 3])
    var counters = Counters()
    for client in clients {
      try transaction.put(
        registrations, client.key, client.row(generation: counters.nextGeneration()))
      try transaction.put(tokens, client.index, client.key)
      if let tombstone = client.tombstone {
        var entry: [UInt8] = []
        entry.append(bigEndian: tombstone.time)
        try transaction.put(tombstones, entry + client.key, [])
      }
      var row = RegistrationRow(
        kind: client.kind, alwaysRaw: false, authenticated: false, createdAt: 0, updatedAt: 0, generation: 0,
        tokenIndex: [])
      row.tombstone = client.tombstone
      counters.add(row)
    }
    try transaction.put(meta, RegistrationTable.MetaKey.counters, counters.encode())
    try transaction.commit()
    return folder
  }

  private func tableNames(_ folder: TemporaryFolder) throws -> [String] {
    let environment = try LMDBEnvironment(
      path: folder.store + "/registrations", settings: .init(mapSize: nil, isDurable: true, mayCreate: false))
    return try ["clients", "registrations", "token-index", "tokens", "tombstone-times", "tombstones"].filter {
      try environment.hasTable($0)
    }
  }

  private func check(_ fixture: Fixture, _ clients: [Old]) throws {
    let reader = try fixture.store.makeReader()
    #expect(try reader.inconsistency() == nil)
    for (number, old) in clients.enumerated() {
      let record = try #require(try reader.lookup(ClientKey(app: old.app, client: old.client)))
      let isSame =
        record.token == old.token && record.summary.kind == old.kind && record.summary.alwaysRaw
        && record.summary.authenticated && record.summary.createdAt == 1_700_000_000_001
        && record.summary.updatedAt == 1_700_000_000_002 && record.summary.generation == UInt64(number + 1)
        && record.summary.tombstone == old.tombstone
      #expect(isSame, "\(old.client)")
    }
    #expect(try reader.counts().totalActive == UInt64(clients.count - 1))
    #expect(try reader.counts().totalTombstoned == 1)
    #expect(try reader.setting("relay") == [1, 2, 3])
    let first = try #require(clients.first)
    #expect(try reader.client(kind: first.kind, token: first.token)?.clientID == first.client)
  }

  @Test func everythingIsTakenOverOnce() async throws {
    let clients = Self.clients
    let folder = try makeStore(clients)
    let steps = Locked<[StoreProgress]>([])
    do {
      let fixture = try Fixture(folder) { $0.onMigration = { step in steps.withLock { $0.append(step) } } }
      try check(fixture, clients)
      // The next generation follows the last.
      try await fixture.store.register("new", "new-token")
      #expect(try fixture.lookup("new")?.summary.generation == UInt64(clients.count + 1))
      #expect(try await fixture.store.delete("new"))
      fixture.store.close()
    }
    #expect(
      steps.withLock { $0 }
        == [1000, 2000, 2502].map { StoreProgress.registrations($0, of: 2502) })
    #expect(try tableNames(folder) == ["clients", "token-index", "tombstone-times"])
    let again = try Fixture(folder) { $0.onMigration = { _ in Issue.record("migrated again") } }
    try check(again, clients)
    #expect(try await wait { again.store.purgeTombstones(before: .max, completion: $0) } == 1)
    #expect(try again.inconsistency() == nil)
  }

  @Test func onlyTheServerDoesIt() throws {
    let clients = Array(Self.clients.suffix(3))
    let folder = try makeStore(clients)
    let error = #expect(throws: StoreError.self) { try Fixture(folder) { $0.role = .tool } }
    #expect(error == .olderSchema(path: folder.store + "/registrations", found: 1, current: 2))
    #expect(error?.description.contains("start the server") == true)
    #expect(try tableNames(folder) == ["registrations", "tokens", "tombstones"])
    let another = #expect(throws: StoreError.self) { try Fixture(folder, cipher: FakeCipher(key: 1)) }
    #expect(another == .wrongKey(path: folder.store + "/registrations"))
    #expect(try tableNames(folder) == ["registrations", "tokens", "tombstones"])
    try check(try Fixture(folder), clients)
  }

  @Test func whatCannotBeReadStopsItAndLeavesTheOldStore() throws {
    var clients = Self.clients
    clients[2000].token = ""
    let folder = try makeStore(clients)
    do {
      let environment = try LMDBEnvironment(
        path: folder.store + "/registrations",
        settings: .init(mapSize: nil, isDurable: true, mayCreate: false))
      var transaction = try WriteTransaction(environment)
      let registrations = try environment.openTable("registrations", in: transaction)
      try transaction.put(registrations, clients[2000].key, [1, 1, 1])
      try transaction.commit()
    }
    let error = #expect(throws: StoreError.self) { try Fixture(folder) }
    #expect(
      error == .damaged(path: folder.store + "/registrations", detail: "a registration can't be read"))
    #expect(try tableNames(folder) == ["registrations", "tokens", "tombstones"])
  }

  @Test func aMapWithoutRoomForBothLeavesTheOldStore() throws {
    // The old tables take more than half of the map.
    var clients = Self.clients
    for index in clients.indices { clients[index].token += String(repeating: "x", count: 150) }
    let folder = try makeStore(clients, mapSize: 1 << 20)
    let error = #expect(throws: StoreError.self) { try Fixture(folder) { $0.mapSize = 1 << 20 } }
    guard case .mapFull = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try tableNames(folder) == ["registrations", "tokens", "tombstones"])
    try check(try Fixture(folder), clients)
  }

  @Test func aBackupOfTheFirstLayoutComesBack() throws {
    let clients = Self.clients
    let origin = try makeStore(clients)
    let folder = try TemporaryFolder()
    let restored = try Store.restore(
      from: origin.store + "/registrations/data.mdb", to: folder.store, cipher: FakeCipher(),
      replacing: false,
      time: 7)
    #expect(restored.counts.totalActive == UInt64(clients.count - 1))
    try check(try Fixture(folder), clients)
  }
}
