import Bytes
import Service
import Store
import Telemetry
import TestSupport
import Testing

@testable import API

@Suite struct ActionLogTests {
  /// Milliseconds since the epoch.
  private let now = Locked<UInt64>(1_800_000_000_000)
  private let folder: TemporaryFolder
  private let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store.open(
      path: folder.path + "/data", cipher: try StoreCipher(masterKey: [UInt8](repeating: 7, count: 32)))
  }

  private func log() -> ActionLog {
    let now = self.now
    return ActionLog(store: store, log: Log(level: .error), clock: { now.withLock { $0 } })
  }

  @Test func whoGuessesPasswordsPushesOutNothingElse() throws {
    let log = log()
    log.note(.delete, target: "client", by: nil)
    for _ in 0..<(Store.actionLimit + 10) {
      now.withLock { $0 += 1 }
      log.note(.login, isGood: false, by: IPAddress("192.0.2.1"))
    }
    let latest = log.latest
    #expect(latest.count == Store.actionLimit + 1)
    #expect(latest.last?.action == "delete")
    #expect(latest.first?.time == now.withLock { $0 })
    // As many of their own, and the oldest goes first.
    for _ in 0..<Store.actionLimit { log.note(.login, by: nil) }
    #expect(!log.latest.contains { $0.action == "delete" })
  }

  @Test func whatIsTooOldIsShownNeitherBeforeNorAfterARestart() throws {
    let first = log()
    first.note(.reload, by: nil)
    now.withLock { $0 += Store.actionRetention }
    first.note(.backup, by: nil)
    #expect(first.latest.map(\.action) == ["backup", "reload"])
    now.withLock { $0 += 1 }
    #expect(first.latest.map(\.action) == ["backup"])
    // Closing writes what waits.
    store.close()
    #expect(log().latest.map(\.action) == ["backup"])
  }
}
