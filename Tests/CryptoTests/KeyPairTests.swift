import Bytes
import Crypto
import Testing

@Suite struct P256Tests {
  let message = Array("header.claims".utf8)

  @Test func signsAndVerifies() throws {
    let key = try P256PrivateKey.generate()
    let publicKey = try key.publicKey()
    // Many signatures, since r and s must be padded whenever they begin with zeros.
    for round in 0..<300 {
      let text = Array("message \(round)".utf8)
      let signature = try key.sign(text)
      #expect(signature.count == 64)
      #expect(publicKey.verify(signature: signature, message: text))
    }
    var signature = try key.sign(message)
    #expect(!publicKey.verify(signature: signature, message: Array("other".utf8)))
    #expect(!publicKey.verify(signature: Array(signature.dropLast()), message: message))
    #expect(!publicKey.verify(signature: [UInt8](repeating: 0, count: 64), message: message))
    signature[40] ^= 1
    #expect(!publicKey.verify(signature: signature, message: message))
    #expect(try !P256PrivateKey.generate().publicKey().verify(signature: key.sign(message), message: message))
  }

  // RFC 7515 appendix A.3: the ES256 example, with its key as SubjectPublicKeyInfo.
  @Test func verifiesTheExampleOfJSONWebSignature() throws {
    let prefix = "3059301306072a8648ce3d020106082a8648ce3d030107034200"
    let x = try #require(Base64.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU".utf8, .url))
    let y = try #require(Base64.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0".utf8, .url))
    let encoded = try #require(Hex.decode(prefix)) + [4] + x + y
    let key = try P256PublicKey(
      pem: "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(encoded))\n-----END PUBLIC KEY-----\n")
    let token = try JWT.Parts(
      compact: ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8IS"
        + "lSApmWQxfKTUJqPP3-Kg6NU1Q").utf8)
    #expect(key.verify(signature: token.signature, message: token.signingInput))
  }

  @Test func readsPKCS8AndSEC1() throws {
    let key = try P256PrivateKey(pem: PEMFixtures.sec1WithParameters)
    let pem = try key.pem()
    #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try P256PrivateKey(pem: pem)
    #expect(try again.publicKey().verify(signature: key.sign(message), message: message))
    let sec1 = try #require(
      PEMFixtures.sec1WithParameters.split(separator: "-----END EC PARAMETERS-----\n").last)
    _ = try P256PrivateKey(pem: String(sec1))
    _ = try P256PrivateKey(pem: sec1.split(separator: "\n").joined(separator: "\r\n"))
    let publicKey = try P256PublicKey(pem: key.publicKey().pem())
    #expect(try publicKey.verify(signature: again.sign(message), message: message))
  }

  @Test func saysWhatIsWrongWithAKey() throws {
    func problem(_ pem: String) -> String {
      do throws(CryptoError) {
        _ = try P256PrivateKey(pem: pem)
        return "accepted"
      } catch {
        return error.description
      }
    }
    #expect(problem("").contains("no line begins with"))
    #expect(problem(#"-----BEGIN PRIVATE KEY-----\nMIGH\n"#).contains("with real line breaks"))
    #expect(
      problem("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n").contains("cannot be decoded"))
    #expect(
      problem(PEMFixtures.p384)
        == "invalid key: the curve P-256 (prime256v1) is needed, the key is on secp384r1")
    #expect(problem(PEMFixtures.ed25519).contains("kind ED25519"))
    #expect(problem(PEMFixtures.rsa1024).contains("kind RSA"))
    #expect(problem(PEMFixtures.encryptedPKCS8).contains("protected by a password"))
    #expect(problem(PEMFixtures.encryptedSEC1).contains("protected by a password"))
    #expect(problem(String(repeating: "x", count: 70_000)).contains("at most 65536"))
    let publicPEM = try P256PrivateKey.generate().publicKey().pem()
    #expect(problem(publicPEM) == "invalid PEM: a private key is needed but the text holds: PUBLIC KEY")
  }

  @Test func noErrorTextHoldsKeyMaterial() throws {
    let pem = try P256PrivateKey.generate().pem()
    let lines = pem.split(separator: "\n")
    let body = String(lines[1])
    for damaged in [
      pem.replacing(body, with: String(body.reversed())), pem.replacing(body, with: String(body.dropLast(4))),
      pem.replacing("-----END PRIVATE KEY-----", with: ""),
    ] {
      let error = #expect(throws: CryptoError.self) { try P256PrivateKey(pem: damaged) }
      let text = error?.description ?? ""
      #expect(!text.isEmpty)
      for start in stride(from: 0, to: body.count - 12, by: 4) {
        #expect(!text.contains(body.dropFirst(start).prefix(8)))
      }
    }
  }

  /// The public half in the key is replaced by another key's.
  @Test func refusesHalvesThatDoNotBelongTogether() throws {
    func encoded(_ pem: String) throws -> [UInt8] {
      try #require(Base64.decode(pem.split(separator: "\n").dropFirst().dropLast().joined().utf8))
    }
    let first = try encoded(P256PrivateKey.generate().pem())
    let second = try encoded(P256PrivateKey.generate().pem())
    let mixed = Base64.encode(first.dropLast(64) + second.suffix(64))
    #expect(throws: CryptoError.self) {
      try P256PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\n\(mixed)\n-----END PRIVATE KEY-----\n")
    }
  }
}

@Suite struct RSATests {
  let message = Array("header.claims".utf8)

  @Test func signsVerifiesAndRoundTrips() throws {
    let key = try RSAPrivateKey.generate()
    let publicKey = try RSAPublicKey(pem: key.publicKey().pem())
    var signature = try RSAPrivateKey(pem: key.pem()).sign(message)
    #expect(signature.count == 256)
    #expect(publicKey.verify(signature: signature, message: message))
    #expect(!publicKey.verify(signature: signature, message: Array("other".utf8)))
    signature[100] ^= 1
    #expect(!publicKey.verify(signature: signature, message: message))
    #expect(!publicKey.verify(signature: [], message: message))
  }

  // PKCS #1 v1.5 signatures are deterministic, so both libraries must make the same bytes.
  @Test func agreesWithAnotherLibrary() throws {
    let key = try RSAPrivateKey(pem: PEMFixtures.rsaPKCS1)
    let signature = try #require(Base64.decode(PEMFixtures.rsaSignature.utf8))
    #expect(try key.sign(message) == signature)
    #expect(try key.publicKey().verify(signature: signature, message: message))
  }

  @Test func refusesOtherKindsAndShortKeys() throws {
    #expect(throws: CryptoError.invalidKey("the RSA key has 1024 bits; at least 2048 are needed")) {
      try RSAPrivateKey(pem: PEMFixtures.rsa1024)
    }
    #expect(throws: CryptoError.invalidKey("an RSA key is needed, this is of the kind EC")) {
      try RSAPrivateKey(pem: PEMFixtures.sec1WithParameters)
    }
    #expect(throws: CryptoError.self) { try RSAPrivateKey.generate(bits: 1024) }
    let publicPEM = try P256PrivateKey.generate().publicKey().pem()
    #expect(throws: CryptoError.self) { try RSAPublicKey(pem: publicPEM) }
  }
}
