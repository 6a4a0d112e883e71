import Bytes
import Testing

@Suite struct EncodingTests {
  @Test func hexRoundTripsAndRefusesWhatIsNoHex() {
    #expect(Hex.encode([0x00, 0xFF, 0x1A]) == "00ff1a")
    #expect(Hex.decode("00Ff1a") == [0x00, 0xFF, 0x1A])
    #expect(Hex.decode("") == [])
    #expect(Hex.decode("0") == nil)
    #expect(Hex.decode("0g") == nil)
    #expect(Hex.decode("é0") == nil)
  }

  // RFC 4648 section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
  ])
  func base64Vectors(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
    let unpadded = encoded.replacing("=", with: "")
    #expect(Base64.encode(Array(plain.utf8), .url) == unpadded)
    #expect(Base64.decode(unpadded.utf8, .url) == Array(plain.utf8))
  }

  @Test(arguments: ["Zg", "Zg=", "Zg===", "Z===", "Zh==", "Zm9v\n", "Zm-v", "=", "Zg==Zg=="])
  func base64RefusesWhatIsNotCanonical(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }

  @Test func base64URLRefusesPaddingAndTheOtherAlphabet() {
    #expect(Base64.decode("Zg==".utf8, .url) == nil)
    #expect(Base64.decode("+/+/".utf8, .url) == nil)
    #expect(Base64.decode("-_-_".utf8, .url) == [0xFB, 0xFF, 0xBF])
  }

  // The did:key of the seed that the relay client library's tests publish.
  @Test func base58DecodesADidKey() {
    let key = "d8e664f8846e3741dd5742a0245f7456a9316b110d321693c76d7d9b59bebaab"
    let text = "6Mku3wsRZTAHjr6xrYWVUfyGeNSNz1GJRVfazp3N76AL9gE"
    #expect(Base58.decode(text.utf8).map { Hex.encode($0) } == "ed01" + key)
    #expect(Base58.encode([0xED, 0x01] + (Hex.decode(key) ?? [])) == text)
    #expect(Base58.decode("0OIl".utf8) == nil)
    #expect(Base58.decode("11".utf8) == [0, 0])
    #expect(Base58.encode([0, 0, 1]) == "112")
    #expect(Base58.decode(String(repeating: "z", count: 129).utf8) == nil)
  }

  @Test func percentDecoding() {
    #expect(PercentEncoding.decode("did%3Akey%3Az6Mk") == "did:key:z6Mk")
    #expect(PercentEncoding.decode("plain") == "plain")
    for bad in ["%", "%3", "%3g", "%00", "%ff"] as [Substring] {
      #expect(PercentEncoding.decode(bad) == nil, "\(bad)")
    }
  }

  @Test func asciiDecimal() {
    #expect(ASCIIDecimal.parse("18446744073709551615".utf8) == .max)
    for bad in ["", "+1", "-1", " 1", "1 ", "18446744073709551616", "1e3"] {
      #expect(ASCIIDecimal.parse(bad.utf8) == nil, "\(bad)")
    }
    var out: [UInt8] = Array("n=".utf8)
    ASCIIDecimal.append(0, to: &out)
    ASCIIDecimal.append(1024, to: &out)
    #expect(String(decoding: out, as: UTF8.self) == "n=01024")
  }

  @Test func byteBufferConsumesFromTheFront() {
    var buffer = ByteBuffer()
    buffer.append(Array("hello world".utf8))
    buffer.consume(6)
    #expect(Array(buffer.slice) == Array("world".utf8))
    // Enough passes through to make the buffer move its rest to the front several times.
    for round in 0..<10_000 {
      buffer.append([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 5))
      buffer.consume(5)
    }
    #expect(buffer.count == 5)
    #expect(buffer.withBytes { $0[4] } == UInt8(truncatingIfNeeded: 9_999))
    buffer.consume(50)
    #expect(buffer.isEmpty)
  }
}
