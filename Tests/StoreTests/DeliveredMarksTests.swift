import Bytes
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct DeliveredMarksTests {
  private func key(_ number: Int) throws -> DeliveryKey {
    try #require(DeliveryKey(digest: FakeCipher().index(Array("message \(number)".utf8))))
  }

  private func mark(_ store: Store, _ number: Int) async throws {
    let key = try key(number)
    try await wait { store.markDelivered(key, completion: $0) }
  }

  @Test func aMarkIsSeenOnceItIsAcknowledged() async throws {
    let fixture = try Fixture()
    let reader = try fixture.store.makeReader()
    #expect(try !reader.isDelivered(key(1)))
    try await mark(fixture.store, 1)
    #expect(try reader.isDelivered(key(1)))
    #expect(try !reader.isDelivered(key(2)))
    try await mark(fixture.store, 1)
    #expect(try fixture.store.deliveries.map { try ReadSlot($0.environment).begin().count($0.expiry) } == 1)
  }

  @Test func marksOutliveTheProcess() async throws {
    let folder = try TemporaryFolder()
    do {
      let fixture = try Fixture(folder)
      try await mark(fixture.store, 1)
      fixture.store.close()
    }
    let fixture = try Fixture(folder)
    #expect(try fixture.store.makeReader().isDelivered(key(1)))
    #expect(fixture.warnings.withLock { $0 } == [])
  }

  @Test func theKeyIsADigestOf32Bytes() {
    #expect(DeliveryKey(digest: [UInt8](repeating: 0, count: 31)) == nil)
    #expect(DeliveryKey(digest: []) == nil)
  }

  @Test func theSweepNeverTakesAMarkWithinItsRetention() async throws {
    // The writer's own upkeep stays out of it: the test is the one that sweeps.
    let fixture = try Fixture {
      $0.deliveredRetention = 100
      $0.upkeepInterval = .seconds(3600)
    }
    let store = fixture.store
    let marks = try #require(store.deliveries)
    let clock = fixture.clock
    clock.advance(999)
    for number in 0..<1500 { try await mark(store, number) }
    clock.advance(50_000)
    try await mark(store, 5000)
    try await mark(store, 0)
    store.close()
    var options = store.options
    options.deliveredRetention = 100
    options.onWarning = { Issue.record("\($0)") }
    let upkeep = DeliveriesUpkeep(
      marks, activity: store.activity, folder: DeliveriesFolder(path: fixture.folder.store + "/deliveries"),
      options: options)
    let reader = try store.makeReader()
    clock.advance(50_000)
    #expect(!upkeep.perform(in: marks.environment, now: 0))
    #expect(try reader.isDelivered(key(1)))
    // A second more: time is kept in whole seconds.
    clock.advance(1001)
    #expect(upkeep.perform(in: marks.environment, now: 0), "bounded: 1,000 at a time")
    #expect(!upkeep.perform(in: marks.environment, now: 0))
    #expect(try !reader.isDelivered(key(1)))
    #expect(try !reader.isDelivered(key(1499)))
    #expect(try reader.isDelivered(key(5000)))
    #expect(try reader.isDelivered(key(0)), "marked again later")
    clock.advance(50_000)
    _ = upkeep.perform(in: marks.environment, now: 0)
    #expect(try ReadSlot(marks.environment).begin().count(marks.marks) == 0)
    #expect(try ReadSlot(marks.environment).begin().count(marks.expiry) == 0)
  }

  /// A full map is swept although what was counted finds no room in it: marks are taken again.
  @Test func aFullMapEmptiesItselfInTime() async throws {
    let fixture = try Fixture {
      $0.deliveriesMapSize = 512 << 10
      $0.deliveredRetention = 1
      $0.upkeepInterval = .seconds(3600)
      $0.markGathering = .zero
    }
    let store = fixture.store
    let marks = try #require(store.deliveries)
    let refusal = try await fillUntilRefused { try await mark(store, $0) }.refusal
    #expect(refusal.description.contains("raise store.deliveries_map_size"), "\(refusal)")
    store.close()
    fixture.clock.advance(10_000)
    var options = store.options
    options.onWarning = { _ in }
    let upkeep = DeliveriesUpkeep(
      marks, activity: store.activity, folder: DeliveriesFolder(path: fixture.folder.store + "/deliveries"),
      options: options)
    for turn in 0..<100 where try ReadSlot(marks.environment).begin().count(marks.marks) > 0 {
      store.notePush(try ClientKey(client: "client \(turn)"), .delivered)
      _ = upkeep.perform(in: marks.environment, now: 0)
    }
    #expect(try ReadSlot(marks.environment).begin().count(marks.marks) == 0)
    let key = try key(1)
    var transaction = try WriteTransaction(marks.environment)
    try marks.mark(key, at: 1, in: &transaction)
    try transaction.commit()
  }

  @Test func theWriterSweepsByItself() async throws {
    let fixture = try Fixture {
      $0.deliveredRetention = 1
      $0.upkeepInterval = .milliseconds(1)
    }
    try await mark(fixture.store, 1)
    fixture.clock.advance(10_000)
    // Bounded by the suite's patience only: each turn waits for a commit of the same writer.
    let reader = try fixture.store.makeReader()
    for turn in 0..<10_000 where try reader.isDelivered(key(1)) {
      try await mark(fixture.store, 2 + turn % 2)
    }
    #expect(try !reader.isDelivered(key(1)))
  }
}
