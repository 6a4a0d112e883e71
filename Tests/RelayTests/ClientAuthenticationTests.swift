import Bytes
import Crypto
import JSON
import Relay
import Testing

@Suite struct ClientAuthenticationTests {
  // WalletConnect specifications, clients/core/crypto/crypto-authentication.
  static let published =
    "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJkaWQ6a2V5Ono2TWtvZEhad25lVlJTaHRhTGY4SktZa3hwREdwMXZHWm"
    + "5wR21kQnBYOE0yZXh4SCIsInN1YiI6ImM0NzlmZTVkYzQ2NGU3NzFlNzhiMTkzZDIzOWE2NWI1OGQyNzhjYWQxYzM0YmZiMGI1NzE2"
    + "ZTViYjUxNDkyOGUiLCJhdWQiOiJ3c3M6Ly9yZWxheS53YWxsZXRjb25uZWN0LmNvbSIsImlhdCI6MTY1NjkxMDA5NywiZXhwIjoxNj"
    + "U2OTk2NDk3fQ.bAKl1swvwqqV_FgwvD4Bx3Yp987B9gTpZctyBviA-EkAuWc8iI8SyokOjkv9GJESgid4U8Tf2foCgrQp2qrxBA"
  static let publishedID = "z6MkodHZwneVRShtaLf8JKYkxpDGp1vGZnpGmdBpX8M2exxH"
  static let issuedAt: Int64 = 1_656_910_097
  static let expiry: Int64 = 1_656_996_497

  let authentication = ClientAuthentication(audiences: [
    "wss://relay.walletconnect.com", "https://push.example.com/base/",
  ])
  let key: Ed25519PrivateKey
  let client: ClientID
  let issuer: String

  init() throws {
    key = try Ed25519PrivateKey.generate()
    issuer = DIDKey.encode(key.publicKey.rawBytes)
    client = try ClientID(issuer)
  }

  /// A token over these JSON texts, signed by the key of this test.
  func token(_ claims: String, header: String = #"{"typ":"JWT","alg":"EdDSA"}"#) throws -> String {
    let input = JWT.signingInput(header: Array(header.utf8), claims: Array(claims.utf8))
    return try JWT.join(signingInput: input, signature: key.sign(input))
  }

  /// Claims that pass at time 1000, with members replaced (or, by nil, left out). Values are JSON text.
  func claims(_ changes: [String: String?] = [:]) -> String {
    var members = [
      "iss": #""\#(issuer)""#, "aud": #""https://push.example.com/base""#, "sub": #""nonce""#, "iat": "1000",
      "exp": "2000", "act": #""unregister""#,
    ]
    for (name, value) in changes { members[name] = value }
    return "{" + members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
  }

  func outcome(_ authorization: String, now: Int64 = 1000) -> ClientAuthenticationError? {
    do throws(ClientAuthenticationError) {
      try authentication.verify(authorization: authorization, client: client, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func acceptsThePublishedToken() throws {
    let client = try ClientID(Self.publishedID)
    for prefix in ["", "Bearer ", "bearer "] {
      try authentication.verify(authorization: prefix + Self.published, client: client, now: Self.issuedAt)
    }
    try authentication.verify(authorization: Self.published, client: client, now: Self.expiry + 120)
    try authentication.verify(authorization: Self.published, client: client, now: Self.issuedAt - 120)
    #expect(throws: ClientAuthenticationError.expired(seconds: 121)) {
      try authentication.verify(authorization: Self.published, client: client, now: Self.expiry + 121)
    }
    #expect(throws: ClientAuthenticationError.notYetValid(seconds: 121)) {
      try authentication.verify(authorization: Self.published, client: client, now: Self.issuedAt - 121)
    }
  }

  @Test func acceptsWhatSDKsSend() throws {
    #expect(outcome(try token(claims())) == nil)
    #expect(outcome(try token(claims(), header: #"{"alg":"EdDSA","typ":"JWT","kid":"x"}"#)) == nil)
    #expect(outcome(try token(claims(["exp": nil])), now: 1_000_000) == nil)
    #expect(outcome(try token(claims(["exp": "null"])), now: 1_000_000) == nil)
    #expect(outcome(try token(claims(["aud": #""https://push.example.com/base//""#]))) == nil)
    #expect(outcome(try token(claims(["sub": #""""#]))) == nil)
  }

  @Test(arguments: [
    "", "Bearer", "a.b", "e30.e30.e30.e30", published + "=", "Bearer  " + published, "Basic " + published,
    "=" + published,
  ])
  func refusesWhatIsNoToken(authorization: String) {
    guard case .malformed = outcome(authorization) else {
      Issue.record("not refused as malformed: \(authorization)")
      return
    }
  }

  @Test(arguments: [
    #"{"typ":"jwt","alg":"EdDSA"}"#, #"{"alg":"EdDSA"}"#, #"{"typ":"JWT"}"#, #"{"typ":"JWT","alg":"none"}"#,
    #"{"typ":"JWT","alg":"eddsa"}"#, #"{"typ":"JWT","alg":["EdDSA"]}"#, "[]", "nonsense",
  ])
  func refusesOtherHeaders(header: String) throws {
    guard case .header = outcome(try token(claims(), header: header)) else {
      Issue.record("not refused for its header: \(header)")
      return
    }
  }

  @Test(
    arguments: [
      ("iss", nil), ("iss", "1"), ("aud", nil), ("aud", #"["https://push.example.com/base"]"#), ("sub", nil),
      ("sub", "null"), ("iat", nil), ("iat", "null"), ("iat", #""1000""#), ("iat", "1000.0"), ("iat", "1e3"),
      ("iat", "9223372036854775808"), ("exp", "2000.5"), ("exp", #""2000""#), ("exp", "false"),
    ] as [(String, String?)])
  func refusesMissingAndIllTypedClaims(name: String, value: String?) throws {
    guard case .claim(let named, _) = outcome(try token(claims([name: value]))) else {
      Issue.record("\(name) accepted: \(value ?? "missing")")
      return
    }
    #expect(named == name)
  }

  @Test func refusesClaimsThatAreNoObject() throws {
    #expect(outcome(try token("nonsense")) == .malformed("the token's claims are not JSON"))
    guard case .claim = outcome(try token("[]")) else {
      Issue.record("an array passed for claims")
      return
    }
  }

  @Test func refusesIssuersThatAreNoKey() throws {
    let other = "did:key:z" + Base58.encode([0xEC, 0x01] + key.publicKey.rawBytes)
    let smallOrder = DIDKey.encode([1] + [UInt8](repeating: 0, count: 31))
    for bad in [
      client.text, "did:web:\(client.text)", "did:key:\(client.text.dropFirst())", other, smallOrder,
      "DID:key:\(client.text)", "did:key:z0OIl", "",
    ] {
      guard case .issuer = outcome(try token(claims(["iss": #""\#(bad)""#]))) else {
        Issue.record("issuer accepted: \(bad)")
        continue
      }
    }
  }

  @Test func refusesWrongSignatures() throws {
    let valid = try token(claims())
    let parts = valid.split(separator: ".")
    let otherClaims = try token(claims(["sub": #""other""#])).split(separator: ".")
    #expect(outcome("\(parts[0]).\(otherClaims[1]).\(parts[2])") == .wrongSignature)
    #expect(outcome("\(parts[0]).\(parts[1]).AAAA") == .wrongSignature)
    let stranger = DIDKey.encode(try Ed25519PrivateKey.generate().publicKey.rawBytes)
    #expect(outcome(try token(claims(["iss": #""\#(stranger)""#]))) == .wrongSignature)
  }

  @Test(arguments: [
    "https://push.example.com", "https://push.example.com/base/x", "HTTPS://push.example.com/base",
    "wss://relay.walletconnect.com:443", "",
  ])
  func refusesOtherAudiences(audience: String) throws {
    let error = outcome(try token(claims(["aud": #""\#(audience)""#])))
    #expect(
      error
        == .wrongAudience(
          audience, accepted: ["wss://relay.walletconnect.com", "https://push.example.com/base"]))
    #expect(error?.description.contains("https://push.example.com/base") == true)
  }

  @Test func refusesTheTokenOfAnotherClient() throws {
    let valid = try token(claims())
    #expect(throws: ClientAuthenticationError.otherClient) {
      try authentication.verify(authorization: valid, client: ClientID(Self.publishedID), now: 1000)
    }
    #expect(throws: ClientAuthenticationError.otherClient) {
      try authentication.verify(authorization: valid, client: ClientID("abcde"), now: 1000)
    }
  }

  @Test func survivesExtremeTimes() throws {
    let minimum = "\(Int64.min)"
    let maximum = "\(Int64.max)"
    #expect(outcome(try token(claims(["exp": minimum]))) == .expired(seconds: .max))
    #expect(outcome(try token(claims(["exp": maximum]))) == nil)
    #expect(outcome(try token(claims(["iat": minimum]))) == nil)
    #expect(outcome(try token(claims(["iat": maximum]))) == .notYetValid(seconds: Int64.max - 1000))
  }

  @Test func namesTheHeader() {
    let fields = ClientAuthenticationError.wrongSignature.fields
    #expect(fields.map(\.field) == ["authorization"])
    #expect(fields.first?.location == .header)
    #expect(ClientAuthenticationError.name == "authentication")
  }
}
