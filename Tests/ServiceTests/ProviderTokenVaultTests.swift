import Bytes
import Crypto
import EventLoop
import Gateways
import Store
import Telemetry
import TestSupport
import Testing

@testable import Service

@Suite struct ProviderTokenVaultTests {
  private let folder: TemporaryFolder
  private let cipher: StoreCipher

  init() throws {
    folder = try TemporaryFolder()
    cipher = try StoreCipher(masterKey: Array(repeating: 7, count: 32))
  }

  private func vault(_ store: Store, _ cipher: StoreCipher? = nil) -> ProviderTokenVault {
    ProviderTokenVault(store: store, cipher: cipher ?? self.cipher, log: Log(sink: { _ in }))
  }

  @Test func aTokenSurvivesTheProcessForItsOwnKeyOnly() throws {
    let store = try Store.open(path: folder.path + "/data", cipher: cipher)
    let snapshot = APNsProviderToken.Snapshot(issuedAt: 1_767_323_045, token: Array("a.b.c".utf8))
    vault(store).save(snapshot, teamID: "TEAM", keyID: "KEY")
    // Answers everything that waits.
    store.close()
    #expect(vault(store).load(teamID: "TEAM", keyID: "KEY") == snapshot)
    #expect(vault(store).load(teamID: "TEAM", keyID: "OTHER") == nil)
    // What is stored cannot be read or moved to another name.
    let sealed = try #require(try store.makeReader().setting("apns-provider-token/TEAM/KEY"))
    #expect(!String(decoding: sealed, as: UTF8.self).contains("a.b.c"))
    let stranger = try StoreCipher(masterKey: Array(repeating: 8, count: 32))
    #expect(vault(store, stranger).load(teamID: "TEAM", keyID: "KEY") == nil)
  }

  @Test func tokensThatAppleNoLongerTakesAreRemoved() throws {
    let now: UInt64 = 1_767_323_045
    do {
      let store = try Store.open(path: folder.path + "/data", cipher: cipher)
      for (keyID, age) in ["OLD": 3600, "OTHER": 3599, "NEW": 0] as KeyValuePairs<String, UInt64> {
        vault(store).save(
          .init(issuedAt: now - age, token: Array("a.b.c".utf8)), teamID: "TEAM", keyID: keyID)
      }
      // Of a key file that was replaced: nobody can read it.
      store.setSetting("apns-provider-token/TEAM/LOST", to: [1, 2, 3]) { _ in }
      store.setSetting("apns-provider", to: [1]) { _ in }
      store.close()
    }
    let store = try Store.open(path: folder.path + "/data", cipher: cipher)
    vault(store).removeExpired(now: now)
    store.close()
    let names = try store.makeReader().settingNames(prefix: "apns-provider")
    #expect(
      names == ["apns-provider", "apns-provider-token/TEAM/NEW", "apns-provider-token/TEAM/OTHER"])
  }

  @Test(arguments: [[], [1], [1, 0, 0, 0, 0, 0, 0, 0, 9], [2, 0, 0, 0, 0, 0, 0, 0, 9, 65]] as [[UInt8]])
  func recordsOfAnotherShapeAreNone(bytes: [UInt8]) {
    #expect(ProviderTokenVault.decode(bytes) == nil)
  }
}
