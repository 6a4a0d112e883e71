import Bytes
import Crypto
import Testing

@Suite struct HashTests {
  // FIPS 180-4 examples, and the digest of "test message" in the relay client library's tests.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("test message", "3f0a377ba0a4a460ecb616f6507ce0d8cfa3e704025d4fda3ed0c5ca05468728"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func sha256Vectors(text: String, digest: String) {
    let bytes = Array(text.utf8)
    #expect(Hex.encode(SHA256.hash(bytes)) == digest)
    #expect(Hex.encode(SHA256.hash(bytes.span)) == digest)
    var pieces = SHA256()
    for byte in bytes { pieces.update([byte]) }
    pieces.update([])
    #expect(Hex.encode(pieces.finalize()) == digest)
  }

  // RFC 4231 sections 4.2, 4.3, 4.4 and 4.7.
  @Test func hmacVectors() throws {
    let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      // Not in the RFC: HMAC with an empty key and message, a widely published value.
      ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]
    for (key, message, code) in cases {
      #expect(try Hex.encode(HMACSHA256.authenticate(key: key, message: message)) == code)
    }
  }

  @Test func randomBytesDiffer() throws {
    let first = try Random.bytes(32)
    #expect(first.count == 32)
    #expect(try Random.bytes(32) != first)
    #expect(try Random.bytes(0) == [])
  }

  @Test func constantTimeComparison() {
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(constantTimeEqual([], []))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
  }
}
