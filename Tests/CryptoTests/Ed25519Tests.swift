import Bytes
import Crypto
import Synchronization
import Testing

@Suite struct Ed25519Tests {
  // RFC 8032 section 7.1, tests 1 to 3.
  static let rfc8032: [(seed: String, key: String, message: String, signature: String)] = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        + "d25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a"
    ),
  ]

  @Test(arguments: 0..<3)
  func rfc8032Vectors(index: Int) throws {
    let vector = Self.rfc8032[index]
    let message = try #require(Hex.decode(vector.message))
    let key = try Ed25519PrivateKey(seed: #require(Hex.decode(vector.seed)))
    #expect(Hex.encode(key.publicKey.rawBytes) == vector.key)
    #expect(try Hex.encode(key.sign(message)) == vector.signature)
    let signature = try #require(Hex.decode(vector.signature))
    #expect(key.publicKey.verify(signature: signature, message: message))
    #expect(!key.publicKey.verify(signature: signature, message: message + [0]))
  }

  // The relay client library's published seed and texts signed with it.
  @Test(arguments: [
    (
      "1692442800.12.example_body",
      "84155c6b84cd8b7a4354517322f12518f572295c1d67786127bf1d6d07b2c8948679452800def8821c5a4124285aefc6"
        + "88bec12beb140c70eae4421de5ed9d0c"
    ),
    (
      #"1692442800.39.{"topic":"t","tag":1100,"message":"é"}"#,
      "223cfaa3a32a1480c9fa72579a3f22d31a9860424d1ad6d7a15fa22c2e62972b4c213052da142fe65494a8c3373e1275"
        + "ad86559b9a9388b0a41a59e79a30c708"
    ),
  ])
  func relayVectors(text: String, signature: String) throws {
    let seed = "d78e7fd899b7cd6e6776b5c33c4705dd64c4cf51e50b7479eb6801791912da53"
    let key = try Ed25519PrivateKey(seed: #require(Hex.decode(seed)))
    #expect(
      Hex.encode(key.publicKey.rawBytes) == "d8e664f8846e3741dd5742a0245f7456a9316b110d321693c76d7d9b59bebaab"
    )
    #expect(try Hex.encode(key.sign(Array(text.utf8))) == signature)
    #expect(key.publicKey.verify(signature: try #require(Hex.decode(signature)), message: Array(text.utf8)))
  }

  @Test func refusesEveryAlteredBitOfASignature() throws {
    let key = try Ed25519PrivateKey.generate()
    let message = Array("message".utf8)
    let signature = try key.sign(message)
    for bit in 0..<512 {
      var altered = signature
      altered[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.publicKey.verify(signature: altered, message: message), "bit \(bit)")
    }
    #expect(!key.publicKey.verify(signature: Array(signature.dropLast()), message: message))
    #expect(!key.publicKey.verify(signature: signature + [0], message: message))
    #expect(!key.publicKey.verify(signature: [], message: message))
  }

  // All encodings of points whose order divides 8, canonical or not, with either sign.
  static let smallOrder = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ]

  @Test(arguments: smallOrder, [UInt8(0), 0x80])
  func refusesSmallOrderKeys(encoding: String, sign: UInt8) throws {
    var bytes = try #require(Hex.decode(encoding))
    bytes[31] |= sign
    #expect(throws: CryptoError.self) { try Ed25519PublicKey(rawBytes: bytes) }
  }

  /// With S = k a, R = identity satisfies the equation of plain verification; strict must still refuse.
  /// Made with a = the clamped scalar of the RFC's first key (Python integers, SHA-512).
  @Test func refusesSmallOrderRThatSatisfiesTheEquation() throws {
    let key = try Ed25519PublicKey(rawBytes: #require(Hex.decode(Self.rfc8032[0].key)))
    let signature = try #require(
      Hex.decode("0100000000000000000000000000000000000000000000000000000000000000" + Self.identityS))
    #expect(!key.verify(signature: signature, message: Array("identity R".utf8)))
  }
  static let identityS = "cb31e99a3154231387852f4fd83481101ef00930f414baa54fbdbfcd96306e09"

  @Test(arguments: [UInt8(0xED), 0xF0, 0xFF], [UInt8(0x7F), 0xFF])
  func refusesKeysWithYNotBelowP(low: UInt8, high: UInt8) {
    let bytes = [low] + [UInt8](repeating: 0xFF, count: 30) + [high]
    let expected = CryptoError.invalidKey(
      "not a canonical Ed25519 public key: its y coordinate is not below 2^255 - 19")
    #expect(throws: expected) { try Ed25519PublicKey(rawBytes: bytes) }
  }

  // y = 2 belongs to no point; y = 3 and the base point's y = 4/5 do.
  @Test func refusesWhatIsNotOnTheCurve() throws {
    let zeros = [UInt8](repeating: 0, count: 31)
    #expect(throws: CryptoError.self) { try Ed25519PublicKey(rawBytes: [2] + zeros) }
    _ = try Ed25519PublicKey(rawBytes: [3] + zeros)
    _ = try Ed25519PublicKey(rawBytes: [0x58] + [UInt8](repeating: 0x66, count: 31))
  }

  @Test func refusesWrongLengths() {
    #expect(
      throws: CryptoError.wrongLength(what: "an Ed25519 public key", expected: 32, actual: 31)
    ) { try Ed25519PublicKey(rawBytes: [UInt8](repeating: 9, count: 31)) }
    #expect(throws: CryptoError.wrongLength(what: "an Ed25519 seed", expected: 32, actual: 64)) {
      try Ed25519PrivateKey(seed: [UInt8](repeating: 9, count: 64))
    }
  }

  @Test func verifiesFromManyThreads() throws {
    let key = try Ed25519PrivateKey.generate()
    let messages: [[UInt8]] = (0..<8).map { Array("message \($0)".utf8) }
    let signatures = try messages.map { try key.sign($0) }
    let publicKey = key.publicKey
    let answers = Atomic<Int>(0)
    let wrongAnswers = Atomic<Int>(0)
    try onThreads(8) {
      for (index, message) in messages.enumerated() {
        for (other, signature) in signatures.enumerated() {
          let valid = publicKey.verify(signature: signature, message: message)
          answers.add(1, ordering: .relaxed)
          if valid != (index == other) { wrongAnswers.add(1, ordering: .relaxed) }
        }
      }
    }
    #expect(wrongAnswers.load(ordering: .relaxed) == 0)
    #expect(answers.load(ordering: .relaxed) == 8 * 64)
  }
}
