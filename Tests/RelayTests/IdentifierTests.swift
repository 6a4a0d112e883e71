import Bytes
import Crypto
import Relay
import Testing

@Suite struct ClientIDTests {
  static let bare = "z6Mku3wsRZTAHjr6xrYWVUfyGeNSNz1GJRVfazp3N76AL9gE"
  static let key = "d8e664f8846e3741dd5742a0245f7456a9316b110d321693c76d7d9b59bebaab"

  @Test func bothFormsAreOne() throws {
    let id = try ClientID(Self.bare)
    #expect(id.text == Self.bare)
    #expect(try ClientID("did:key:" + Self.bare) == id)
    #expect(try ClientID("did:key:did:key:" + Self.bare) == id)
    #expect(try ClientID("did:key:" + Self.bare).hashValue == id.hashValue)
    #expect(id.didKeyPublicKey.map { Hex.encode($0) } == Self.key)
    #expect(id.description == "<client ID>")
  }

  @Test func acceptsIDsThatAreNoKeys() throws {
    #expect(try ClientID("abcde").text == "abcde")
    #expect(try ClientID("abcde").didKeyPublicKey == nil)
    for text in ["a b", "\u{A0}", "\u{C0}", "你好", "\u{FF}"] { #expect(try ClientID(text).text == text) }
    #expect(try ClientID(String(repeating: "é", count: 127) + "x").text.utf8.count == 255)
  }

  @Test func refusesWhatNamesNoOne() {
    #expect(throws: ClientIDError.empty) { try ClientID("") }
    #expect(throws: ClientIDError.empty) { try ClientID("did:key:") }
    #expect(throws: ClientIDError.tooLong(byteCount: 256)) {
      try ClientID(String(repeating: "é", count: 128))
    }
    for bad in ["a\0b", "a\nb", "\u{1F}", "\u{7F}", "\u{80}", "x\u{9F}"] {
      #expect(throws: ClientIDError.controlCharacter) { try ClientID(bad) }
    }
  }

  @Test func equalityIsOfBytes() throws {
    let composed = try ClientID("\u{E9}")
    let decomposed = try ClientID("e\u{301}")
    #expect(composed != decomposed)
    #expect(try Set([composed, decomposed, ClientID("\u{E9}")]).count == 2)
  }

  @Test func didKeysRoundTripAndSayWhatIsWrong() throws {
    let bytes = try #require(Hex.decode(Self.key))
    let did = "did:key:\(Self.bare)"
    #expect(try DIDKey.publicKey(did) == bytes)
    #expect(DIDKey.encode(bytes) == did)
    #expect(throws: DIDKeyError.notADID) { try DIDKey.publicKey(Self.bare) }
    #expect(throws: DIDKeyError.otherMethod) { try DIDKey.publicKey("did:web:\(Self.bare)") }
    #expect(throws: DIDKeyError.otherMultibase) { try DIDKey.publicKey("did:key:m\(Self.bare)") }
    #expect(throws: DIDKeyError.otherMultibase) { try DIDKey.publicKey("did:key:") }
    #expect(throws: DIDKeyError.notBase58) { try DIDKey.publicKey("did:key:z6Mk0") }
    let secp256k1 = "z" + Base58.encode([0xE7, 0x01] + bytes)
    #expect(throws: DIDKeyError.otherMulticodec) { try DIDKey.publicKey(multibase: secp256k1) }
    let short = "z" + Base58.encode([0xED, 0x01] + bytes.dropLast())
    #expect(throws: DIDKeyError.keyLength(31)) { try DIDKey.publicKey(multibase: short) }
  }
}

@Suite struct MessageIDTests {
  @Test func rawIsTheHashOfTheText() {
    let digest = "3f0a377ba0a4a460ecb616f6507ce0d8cfa3e704025d4fda3ed0c5ca05468728"
    #expect(MessageID(ofRawMessage: "test message").text == digest)
    #expect(MessageID(ofRawMessage: "\u{E9}") != MessageID(ofRawMessage: "e\u{301}"))
    #expect(MessageID(ofRawMessage: "é").text == Hex.encode(SHA256.hash([0xC3, 0xA9])))
  }

  @Test func legacyIsVerbatimUnlessLong() {
    #expect(MessageID(ofLegacyID: "Some Id").text == "Some Id")
    let longest = String(repeating: "x", count: 64)
    #expect(MessageID(ofLegacyID: longest).text == longest)
    let hashed = MessageID(ofLegacyID: longest + "x")
    #expect(hashed.text == "sha256:" + Hex.encode(SHA256.hash(Array((longest + "x").utf8))))
    #expect(hashed != MessageID(ofLegacyID: longest + "y"))
    // The stored form given as an ID is hashed again and stays apart.
    #expect(MessageID(ofLegacyID: hashed.text) != hashed)
  }
}
