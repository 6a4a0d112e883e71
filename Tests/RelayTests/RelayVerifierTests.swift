import Bytes
import Crypto
import Relay
import Testing

@Suite struct RelayVerifierTests {
  // Key pair of the seed that the relay client library's tests publish, with texts signed by it.
  static let seed = "d78e7fd899b7cd6e6776b5c33c4705dd64c4cf51e50b7479eb6801791912da53"
  static let publicKey = "d8e664f8846e3741dd5742a0245f7456a9316b110d321693c76d7d9b59bebaab"
  static let timestamp = "1692442800"
  static let now: Int64 = 1_692_442_800
  static let body = "example_body"
  static let signature =
    "84155c6b84cd8b7a4354517322f12518f572295c1d67786127bf1d6d07b2c8948679452800def8821c5a4124285aefc688bec12b"
    + "eb140c70eae4421de5ed9d0c"
  static let umlautBody = #"{"topic":"t","tag":1100,"message":"é"}"#
  static let umlautSignature =
    "223cfaa3a32a1480c9fa72579a3f22d31a9860424d1ad6d7a15fa22c2e62972b4c213052da142fe65494a8c3373e1275ad86559b"
    + "9a9388b0a41a59e79a30c708"

  let verifier: RelayVerifier
  let signer: Ed25519PrivateKey

  init() throws {
    verifier = try RelayVerifier(keys: [Ed25519PublicKey(hex: Self.publicKey)], maximumAge: 300)
    signer = try Ed25519PrivateKey(seed: #require(Hex.decode(Self.seed)))
  }

  func verify(
    _ signature: String? = signature, _ timestamp: String? = timestamp, body: String = body, now: Int64 = now
  ) throws(RelaySignatureError) -> RelayTimestamp {
    try verifier.verify(
      signatureHeader: signature, timestampHeader: timestamp, body: Array(body.utf8).span, now: now)
  }

  func signature(of timestamp: String, body: String = body) throws -> String {
    try Hex.encode(signer.sign(RelayVerifier.signedBytes(timestamp: timestamp, body: Array(body.utf8).span)))
  }

  @Test func acceptsThePublishedVectors() throws {
    #expect(try verify() == .seconds(1_692_442_800))
    #expect(try verify(Self.umlautSignature, body: Self.umlautBody) == .seconds(1_692_442_800))
    #expect(try verify(Self.signature.uppercased()) == .seconds(1_692_442_800))
  }

  @Test func countsBytesAndNotCharacters() {
    let signed = RelayVerifier.signedBytes(timestamp: "1", body: Array("é".utf8).span)
    #expect(signed == Array("1.2.é".utf8))
    #expect(RelayVerifier.signedBytes(timestamp: "", body: [UInt8]().span) == Array(".0.".utf8))
  }

  @Test func acceptsAnyOfSeveralKeys() throws {
    let keys = try [Ed25519PrivateKey.generate().publicKey, signer.publicKey]
    let rotating = RelayVerifier(keys: keys, maximumAge: 0)
    let body = Array(Self.body.utf8)
    _ = try rotating.verify(
      signatureHeader: Self.signature, timestampHeader: Self.timestamp, body: body.span, now: 0)
    let none = RelayVerifier(keys: [], maximumAge: 0)
    #expect(throws: RelaySignatureError.wrongSignature) {
      try none.verify(
        signatureHeader: Self.signature, timestampHeader: Self.timestamp, body: body.span, now: 0)
    }
  }

  @Test func namesTheMissingHeader() {
    #expect(throws: RelaySignatureError.missingSignatureAndTimestamp) { try verify(nil, nil) }
    #expect(throws: RelaySignatureError.missingSignature) { try verify(nil) }
    #expect(throws: RelaySignatureError.missingTimestamp) { try verify(Self.signature, nil) }
    let both = RelaySignatureError.missingSignatureAndTimestamp.fields
    #expect(
      both == [
        RequestField("X-Ed25519-Signature", "Missing signature", .header),
        RequestField("X-Ed25519-Timestamp", "Missing timestamp", .header),
      ])
    #expect(RelaySignatureError.missingTimestamp.fields == [both[1]])
    #expect(RelaySignatureError.missingSignature.fields == [both[0]])
  }

  // The malformed values are those of the Rust server's tests.
  @Test func refusesMalformedHeaders() {
    #expect(throws: RelaySignatureError.signatureNotHex) { try verify("bad-signature") }
    #expect(throws: RelaySignatureError.signatureLength(byteCount: 17)) {
      try verify("696e76616c69642d7369676e6174757265")
    }
    #expect(throws: RelaySignatureError.signatureLength(byteCount: 0)) { try verify("") }
    #expect(throws: RelaySignatureError.signatureLength(byteCount: 65)) { try verify(Self.signature + "00") }
    #expect(throws: RelaySignatureError.timestampTooLong(byteCount: 65)) {
      try verify(Self.signature, String(repeating: "1", count: 65))
    }
  }

  @Test func refusesWhateverWasChanged() {
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(body: "example_bodY") }
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(body: "") }
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(Self.signature, "1692442801") }
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(Self.signature, " 1692442800") }
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(Self.umlautSignature) }
    let fields = RelaySignatureError.wrongSignature.fields
    #expect(fields.map(\.field) == ["X-Ed25519-Signature", "X-Ed25519-Timestamp"])
    #expect(fields.allSatisfy { $0.location == .header })
  }

  @Test(arguments: [Int64(-300), -1, 0, 300])
  func acceptsTimestampsInsideTheWindow(age: Int64) throws {
    #expect(try verify(now: Self.now + age) == .seconds(1_692_442_800))
    let milliseconds = "1692442800999"
    #expect(
      try verify(signature(of: milliseconds), milliseconds, now: Self.now + age)
        == .milliseconds(1_692_442_800_999))
  }

  @Test(arguments: [Int64(-301), 301, 1_000_000])
  func refusesTimestampsOutsideTheWindow(age: Int64) throws {
    let expected = RelaySignatureError.outsideWindow(age: age, limit: 300)
    #expect(throws: expected) { try verify(now: Self.now + age) }
    #expect(expected.description.contains("clock skew"))
    #expect(expected.description.contains("\(age.magnitude) s \(age < 0 ? "ahead of" : "behind")"))
    #expect(expected.fields.map(\.field) == ["X-Ed25519-Timestamp"])
    let milliseconds = "1692442800000"
    let signature = try signature(of: milliseconds)
    #expect(throws: expected) { try verify(signature, milliseconds, now: Self.now + age) }
  }

  @Test func looksAtTheSignatureBeforeTheTime() {
    #expect(throws: RelaySignatureError.wrongSignature) { try verify(body: "other", now: 0) }
  }

  @Test func zeroSwitchesTheWindowOff() throws {
    let lenient = RelayVerifier(keys: [signer.publicKey], maximumAge: 0)
    let timestamp = try lenient.verify(
      signatureHeader: Self.signature, timestampHeader: Self.timestamp, body: Array(Self.body.utf8).span,
      now: 0)
    #expect(timestamp == .seconds(1_692_442_800))
  }

  @Test(arguments: ["", "2023-08-19T11:00:00Z", "-5", "1692442800.5", "99999999999999999999"])
  func passesSignedTimestampsThatAreNoNumber(text: String) throws {
    #expect(try verify(signature(of: text), text) == .opaque)
  }

  @Test(arguments: ["0", "18446744073709551615"])
  func survivesExtremeNumbers(text: String) throws {
    let signature = try signature(of: text)
    #expect(throws: RelaySignatureError.self) { try verify(signature, text) }
  }

  @Test func tellsSecondsFromMilliseconds() {
    #expect(RelayTimestamp("99999999999") == .seconds(99_999_999_999))
    #expect(RelayTimestamp("100000000000") == .milliseconds(100_000_000_000))
    #expect(RelayTimestamp.opaque.age(at: 1) == nil)
  }
}
