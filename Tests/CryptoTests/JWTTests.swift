import Bytes
import Crypto
import Testing

@Suite struct JWTTests {
  @Test func joinsAndSplits() throws {
    let input = JWT.signingInput(header: Array(#"{"alg":"ES256"}"#.utf8), claims: Array("{}".utf8))
    #expect(String(decoding: input, as: UTF8.self) == "eyJhbGciOiJFUzI1NiJ9.e30")
    let token = JWT.join(signingInput: input, signature: [0xFB, 0xFF])
    #expect(token == "eyJhbGciOiJFUzI1NiJ9.e30.-_8")
    let parts = try JWT.Parts(compact: token.utf8)
    #expect(parts.header == Array(#"{"alg":"ES256"}"#.utf8))
    #expect(parts.claims == Array("{}".utf8))
    #expect(parts.signature == [0xFB, 0xFF])
    #expect(parts.signingInput == input)
  }

  @Test(arguments: [
    "", ".", "..", "a", "e30.e30", "e30.e30.e30.e30", "e30.e30.", ".e30.e30", "e30..e30", "e30=.e30.e30",
    "e30.e30.+/8", "e30 .e30.e30", "Bearer e30.e30.e30",
  ])
  func refusesWhatIsNotThreeParts(token: String) {
    #expect(throws: CryptoError.self) { try JWT.Parts(compact: token.utf8) }
  }

  @Test func refusesOverlongTokens() {
    let part = String(repeating: "AAAA", count: 1000)
    #expect(throws: CryptoError.malformedToken("it is longer than 8192 bytes")) {
      try JWT.Parts(compact: "\(part).\(part).\(part)".utf8)
    }
  }
}
