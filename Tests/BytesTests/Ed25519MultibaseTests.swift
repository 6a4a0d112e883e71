import Bytes
import Testing

@Suite struct Ed25519MultibaseTests {
  private func key(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = [7]
    let isKey = Ed25519Multibase.appendKey(of: Array(text.utf8).span, to: &bytes)
    #expect(bytes.first == 7)
    if !isKey { #expect(bytes.count == 1) }
    return isKey ? Array(bytes.dropFirst()) : nil
  }

  private func text(of key: [UInt8]) -> String? {
    var text: [UInt8] = []
    return Ed25519Multibase.appendText(of: key.span, to: &text) ? String(decoding: text, as: UTF8.self) : nil
  }

  private func bounds(_ prefix: String) -> (least: [UInt8], greatest: [UInt8])? {
    Ed25519Multibase.bounds(ofPrefix: Array(prefix.utf8).span)
  }

  private static let edges: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32),
    [0x80] + [UInt8](repeating: 0, count: 31), [UInt8](repeating: 0, count: 31) + [1],
  ]

  /// The general algorithm is the oracle.
  @Test func agreesWithBase58() {
    let random = (0..<2000).map { _ in (0..<32).map { _ in UInt8.random(in: 0...255) } }
    for bytes in Self.edges + random {
      let expected = "z" + Base58.encode([0xED, 0x01] + bytes)
      let isSameText = text(of: bytes) == expected
      let isSameKey = key(of: expected) == bytes
      #expect(isSameText && isSameKey, "\(Hex.encode(bytes))")
    }
  }

  @Test func refusesEverythingElse() throws {
    let good = try #require(text(of: Self.edges[1]))
    #expect(key(of: good) != nil)
    #expect(key(of: String(good.dropLast())) == nil)
    #expect(key(of: good + "1") == nil)
    #expect(key(of: "m" + good.dropFirst()) == nil)
    // The next number: multicodec ED 02.
    #expect(key(of: "z" + Base58.encode([0xED, 0x02] + Self.edges[0])) == nil)
    // The one before the least: multicodec ED 00.
    #expect(key(of: "z" + Base58.encode([0xED, 0x00] + Self.edges[1])) == nil)
    #expect(key(of: "z" + String(repeating: "z", count: 47)) == nil)
    #expect(key(of: "z" + String(repeating: "1", count: 47)) == nil)
    for bad in ["0", "O", "I", "l", " ", "\u{0}", "-"] {
      #expect(key(of: String(good.dropLast()) + bad) == nil, "\(bad)")
    }
    #expect(key(of: "") == nil)
    #expect(text(of: [1, 2, 3]) == nil)
    #expect(text(of: []) == nil)
  }

  @Test func boundsHoldExactlyTheKeysWithThePrefix() throws {
    var keys = (0..<300).map { _ in (0..<32).map { _ in UInt8.random(in: 0...255) } } + Self.edges
    // Neighbours, whose texts differ late.
    keys += keys.prefix(50).map { Array($0.dropLast()) + [$0[31] &+ 1] }
    let texts = keys.compactMap { text(of: $0) }
    for text in texts.prefix(60) {
      for length in 0...Ed25519Multibase.textLength {
        let prefix = String(text.prefix(length))
        let bounds = try #require(self.bounds(prefix))
        for (key, text) in zip(keys, texts) {
          let isWithin =
            !key.lexicographicallyPrecedes(bounds.least) && !bounds.greatest.lexicographicallyPrecedes(key)
          if isWithin != text.hasPrefix(prefix) { Issue.record("\(text) and \(prefix)") }
        }
      }
    }
    for none in ["a", "z0", "z7", "z6Mj", "z6Ml", "z6Mkzzzzzzzz", "z6Mk1", texts[0] + "1", "z6MkO"] {
      #expect(bounds(none) == nil, "\(none)")
    }
  }
}
