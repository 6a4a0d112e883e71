import Bytes
import Crypto
import Synchronization
import Testing

@Suite struct AESGCMTests {
  let key = [UInt8](0..<32)
  let aad = Array("client".utf8)

  @Test(arguments: [0, 1, 15, 16, 17, 1000], [true, false])
  func roundTrips(length: Int, withAAD: Bool) throws {
    let cipher = try AESGCM(key: key)
    let plaintext = try Random.bytes(length)
    let aad = withAAD ? self.aad : []
    let sealed = try cipher.seal(plaintext, aad: aad)
    #expect(sealed.count == length + AESGCM.overheadByteCount)
    #expect(try cipher.open(sealed, aad: aad) == plaintext)
    #expect(try AESGCM(key: key).open(sealed, aad: aad) == plaintext)
    #expect(try cipher.seal(plaintext, aad: aad) != sealed)
  }

  // The original GCM specification's test cases 13 to 16 (256-bit keys).
  @Test(arguments: [
    (
      "0000000000000000000000000000000000000000000000000000000000000000", "", "",
      "000000000000000000000000" + "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    (
      "0000000000000000000000000000000000000000000000000000000000000000",
      "00000000000000000000000000000000", "",
      "000000000000000000000000" + "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b39",
      "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      "cafebabefacedbaddecaf888"
        + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ])
  func opensPublishedVectors(key: String, plaintext: String, aad: String, sealed: String) throws {
    let cipher = try AESGCM(key: #require(Hex.decode(key)))
    let opened = try cipher.open(#require(Hex.decode(sealed)), aad: #require(Hex.decode(aad)))
    #expect(Hex.encode(opened) == plaintext)
  }

  @Test func refusesEveryAlteredByteAndStaysUsable() throws {
    let cipher = try AESGCM(key: key)
    let sealed = try cipher.seal(Array("device token".utf8), aad: aad)
    for index in sealed.indices {
      var altered = sealed
      altered[index] ^= 0x01
      #expect(throws: CryptoError.authenticationFailed) { try cipher.open(altered, aad: aad) }
    }
    #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed, aad: Array("clienT".utf8)) }
    #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed) }
    for count in 0..<sealed.count {
      let short = Array(sealed.prefix(count))
      #expect(throws: CryptoError.authenticationFailed) { try cipher.open(short, aad: aad) }
    }
    var otherKey = key
    otherKey[0] = 1
    let other = try AESGCM(key: otherKey)
    #expect(throws: CryptoError.authenticationFailed) { try other.open(sealed, aad: aad) }
    #expect(try cipher.open(sealed, aad: aad) == Array("device token".utf8))
  }

  // More threads than the pool keeps contexts.
  @Test func worksOnManyThreads() throws {
    let cipher = try AESGCM(key: key)
    let opened = Atomic<Int>(0)
    try onThreads(24) {
      for length in 0..<50 {
        let plaintext = [UInt8](repeating: UInt8(length), count: length)
        guard let sealed = try? cipher.seal(plaintext, aad: [1]),
          (try? cipher.open(sealed, aad: [1])) == plaintext,
          (try? cipher.open(sealed, aad: [2])) == nil
        else { continue }
        opened.add(1, ordering: .relaxed)
      }
    }
    #expect(opened.load(ordering: .relaxed) == 24 * 50)
  }

  @Test func refusesKeysOfOtherLengths() {
    #expect(throws: CryptoError.wrongLength(what: "an AES-256 key", expected: 32, actual: 16)) {
      try AESGCM(key: [UInt8](repeating: 1, count: 16))
    }
  }
}

extension AESGCM {
  fileprivate func open(_ sealed: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    try open(sealed.span, aad: aad)
  }
}
