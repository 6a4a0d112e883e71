import Bytes
import Crypto
import EventLoop
import TLS
import TestSupport
import Testing

@Suite struct TLSIdentityTests {
  private func identity(_ base64: String, _ password: String = PKCS12Fixtures.password) throws -> TLSIdentity
  {
    try TLSIdentity(pkcs12: try #require(Base64.decode(base64.utf8)), password: password)
  }

  @Test(arguments: [PKCS12Fixtures.modern, PKCS12Fixtures.legacy])
  func aFileGivesCertificateKeyAndTopic(base64: String) throws {
    let identity = try identity(base64)
    #expect(identity.subjectUserID == "com.example.wallet")
    #expect(try #require(identity.expiry) > Int(WallClock.seconds()))
  }

  @Test func anEmptyPasswordIsOne() throws {
    #expect(try identity(PKCS12Fixtures.withoutPassword, "").subjectUserID == "com.example.wallet")
  }

  @Test func faultsAreTold() throws {
    #expect(throws: TLSError.badPKCS12(reason: "the password is wrong")) {
      try identity(PKCS12Fixtures.modern, "Secret")
    }
    #expect(throws: TLSError.badPKCS12(reason: "the password is wrong")) {
      try identity(PKCS12Fixtures.legacy, "")
    }
    #expect(
      throws: TLSError.badPKCS12(
        reason: "it must hold a certificate and its private key: export both together")
    ) { try identity(PKCS12Fixtures.withoutKey) }
    do throws(TLSError) {
      _ = try TLSIdentity(pkcs12: Array("-----BEGIN CERTIFICATE-----".utf8), password: "")
      Issue.record("took text for PKCS #12")
    } catch {
      #expect("\(error)".hasPrefix("the .p12 file is not usable: it is no PKCS #12 file"))
    }
  }

  @Test func aPEMPairMustBelongTogether() throws {
    let authority = try LoopbackCertificateAuthority(validity: TLSTests.valid)
    let one = try authority.issue(names: ["localhost"], validity: TLSTests.valid, userID: "com.example.app")
    let other = try authority.issue(names: ["localhost"], validity: TLSTests.valid)
    let identity = try TLSIdentity(certificateChain: one.certificatePEM, privateKey: one.privateKeyPEM)
    #expect(identity.subjectUserID == "com.example.app")
    #expect(identity.expiry == TLSTests.valid.upperBound)
    #expect(throws: TLSError.keyMismatch) {
      try TLSIdentity(certificateChain: one.certificatePEM, privateKey: other.privateKeyPEM)
    }
    let plain = try TLSIdentity(certificateChain: other.certificatePEM, privateKey: other.privateKeyPEM)
    #expect(plain.subjectUserID == nil)
    #expect(plain.subjectCommonName == "localhost")
  }

  @Test(
    arguments: [[], [.sandbox], [.production], [.sandbox, .production]]
      as [Set<TLSIdentity.PushEnvironment>])
  func applesMarksTellTheEnvironment(environments: Set<TLSIdentity.PushEnvironment>) throws {
    let authority = try LoopbackCertificateAuthority(validity: TLSTests.valid)
    let issued = try authority.issue(
      names: ["push"], validity: TLSTests.valid, marks: environments.map(\.objectIdentifier))
    let identity = try TLSIdentity(
      certificateChain: issued.certificatePEM, privateKey: issued.privateKeyPEM)
    #expect(identity.pushEnvironments == environments)
  }
}
