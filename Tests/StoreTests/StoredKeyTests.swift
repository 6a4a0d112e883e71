import Bytes
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct StoredKeyTests {
  private static func ed25519ID(_ seed: UInt8) -> String {
    let key: [UInt8] = (0..<32).map { seed &* 37 &+ UInt8($0) &* seed }
    var text: [UInt8] = []
    _ = Ed25519Multibase.appendText(of: key.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func key(stored bytes: [UInt8]) -> ClientKey? { ClientKey(stored: bytes.span) }

  /// Keys and whatever sorts near them.
  private static var clients: [String] {
    let keys = (1...40).map { ed25519ID($0) }
    let near = keys.prefix(8).flatMap {
      [String($0.dropLast()), $0 + "x", "y" + $0.dropFirst(), "did:key:" + $0]
    }
    return keys + near
      + [
        "a", "z", "z6Mk", "z6Mkzz", "z6Mk1", "z6Ml", "zz", "\u{10FFFF}", "ü", " ", "\u{1}", "client-1",
        "client-10",
      ]
      + [String(repeating: "c", count: 255)]
  }

  @Test func everyClientHasOneKeyAndBack() throws {
    var seen: [[UInt8]: ClientKey] = [:]
    for app in ["default", "other", "defaul", "default2", String(repeating: "a", count: 64)] {
      for client in Self.clients {
        let key = try ClientKey(app: app, client: client)
        let stored = StoredKey(key)
        #expect(stored.bytes.count <= 321)
        #expect(Self.key(stored: stored.bytes) == key, "\(app) \(client)")
        #expect(seen.updateValue(key, forKey: stored.bytes) == nil, "\(app) \(client)")
      }
    }
    #expect(StoredKey(try ClientKey(client: Self.ed25519ID(1))).bytes.count == 34)
  }

  @Test func bytesThatNoTextBeginsWithAreKeptApart() throws {
    var seen: Set<[UInt8]> = []
    let key = StoredKey(try ClientKey(client: Self.ed25519ID(1))).bytes
    for client in [
      Array(key.dropFirst()), [0xFE], [0xFF], [0xFE, 0xFE], [0xFE, 0xFF], [0xFD], [0xFF, 0x00],
    ] {
      let key = try ClientKey(client: client.span)
      let stored = StoredKey(key)
      #expect(Self.key(stored: stored.bytes) == key, "\(client)")
      #expect(seen.insert(stored.bytes).inserted)
    }
    #expect(!seen.contains(key))
  }

  @Test func brokenKeysAreNone() throws {
    let key = StoredKey(try ClientKey(client: Self.ed25519ID(1))).bytes
    let short: [[UInt8]] = [[], [0], [1], [0, 0xFE], [0, 0xFF], [97, 0], [97]]
    for broken in short + [Array(key.dropLast()), key + [0]] {
      #expect(Self.key(stored: broken) == nil, "\(broken)")
    }
  }

  /// What a list is to hold, worked out without the store.
  private static func expected(_ clients: [String], _ prefix: String, _ last: String?) -> [String] {
    func rank(_ client: String) -> (isKey: Bool, text: [UInt8]) {
      let text = Array(client.utf8)
      var key: [UInt8] = []
      return (Ed25519Multibase.appendKey(of: text.span, to: &key), text)
    }
    func precedes(_ one: String, _ other: String) -> Bool {
      let (one, other) = (rank(one), rank(other))
      return one.0 == other.0 ? one.1.lexicographicallyPrecedes(other.1) : other.0
    }
    return clients.filter { client in
      client.utf8.starts(with: prefix.utf8) && (last.map { precedes($0, client) } ?? true)
    }.sorted(by: precedes)
  }

  @Test func listsByPrefixAreWholeInOrderAndGoOnAnywhere() async throws {
    let fixture = try Fixture()
    let clients = Self.clients
    for app in ["default", "a", "z"] {
      for (number, client) in clients.enumerated() {
        let registration = Registration(
          key: try ClientKey(app: app, client: client), kind: .apns, token: "\(app)-\(number)")
        let store = fixture.store
        _ = try await wait { store.register(registration, completion: $0) }
      }
    }
    let reader = try fixture.store.makeReader()
    let key = Self.ed25519ID(3)
    let prefixes =
      (0...key.utf8.count).map { String(key.prefix($0)) }
      + ["a", "c", "client-1", "y", "zz", "z7", "nobody", "\u{10FFFF}", "ü", key + "x", key + "xx"]
      + [String(repeating: "c", count: 255), String(repeating: "c", count: 600)]
    let cursors: [String?] =
      [nil, "", "z", "z6Mk", "z6Mkzzz", "nobody", String(repeating: "c", count: 600)] + clients
    for app in ["default", "a"] {
      for prefix in prefixes {
        for last in cursors {
          let found = try reader.list(app: app, prefix: prefix, after: last, limit: 1000).map(\.key.clientID)
          if found != Self.expected(clients, prefix, last) {
            Issue.record("\(app), \(prefix) after \(last ?? "nothing"): \(found)")
          }
        }
      }
    }
    #expect(try fixture.inconsistency() == nil)
  }
}
