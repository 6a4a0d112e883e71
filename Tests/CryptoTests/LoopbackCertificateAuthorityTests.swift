import COpenSSL
import Crypto
import Glibc
import Testing

@Suite struct LoopbackCertificateAuthorityTests {
  let now = time(nil)
  var valid: Range<Int> { now - 60..<now + 3600 }

  @Test func leafVerifiesForItsNamesOnly() throws {
    let authority = try LoopbackCertificateAuthority(validity: valid)
    let leaf = try authority.issue(names: ["localhost", "127.0.0.1", "::1"], validity: valid)
    let check = CertificateCheck(leaf: leaf.certificatePEM, authority: authority.certificatePEM)
    #expect(check.verify() == X509_V_OK)
    #expect(check.verify(host: "localhost") == X509_V_OK)
    #expect(check.verify(host: "example.com") == X509_V_ERR_HOSTNAME_MISMATCH)
    #expect(check.verify(address: "127.0.0.1") == X509_V_OK)
    #expect(check.verify(address: "::1") == X509_V_OK)
    #expect(check.verify(address: "127.0.0.2") == X509_V_ERR_IP_ADDRESS_MISMATCH)
    // The key belongs to the certificate: it is a P-256 key that can be read back.
    _ = try P256PrivateKey(pem: leaf.privateKeyPEM)
    #expect(check.keyMatches(leaf.privateKeyPEM))
  }

  @Test func anotherAuthorityIsNotTrusted() throws {
    let authority = try LoopbackCertificateAuthority(validity: valid)
    let other = try LoopbackCertificateAuthority(validity: valid)
    let leaf = try authority.issue(names: ["localhost"], validity: valid)
    let check = CertificateCheck(leaf: leaf.certificatePEM, authority: other.certificatePEM)
    #expect(check.verify() != X509_V_OK)
  }

  @Test func validityIsAsAsked() throws {
    let authority = try LoopbackCertificateAuthority(validity: valid)
    let expired = try authority.issue(names: ["localhost"], validity: now - 7200..<now - 3600)
    let early = try authority.issue(names: ["localhost"], validity: now + 3600..<now + 7200)
    #expect(
      CertificateCheck(leaf: expired.certificatePEM, authority: authority.certificatePEM).verify()
        == X509_V_ERR_CERT_HAS_EXPIRED)
    #expect(
      CertificateCheck(leaf: early.certificatePEM, authority: authority.certificatePEM).verify()
        == X509_V_ERR_CERT_NOT_YET_VALID)
  }

  @Test(arguments: [
    [], [""], ["a,DNS:b"], ["local host"], ["*.example.com"], ["localhost", "x\n"],
    [String(repeating: "a", count: 65)],
  ])
  func refusesNamesThatAreNone(names: [String]) throws {
    let authority = try LoopbackCertificateAuthority(validity: valid)
    #expect(throws: CryptoError.self) { try authority.issue(names: names, validity: valid) }
  }

  @Test func refusesValidityOutsideTheCalendar() {
    #expect(throws: CryptoError.self) { try LoopbackCertificateAuthority(validity: 0..<Int.max) }
  }
}

/// Verifies a certificate as a TLS client would, with OpenSSL itself.
private final class CertificateCheck {
  private let leaf: OpaquePointer?
  private let authority: OpaquePointer?

  init(leaf: String, authority: String) {
    self.leaf = Self.read(leaf)
    self.authority = Self.read(authority)
  }

  deinit {
    X509_free(leaf)
    X509_free(authority)
  }

  func verify(host: String? = nil, address: String? = nil) -> Int32 {
    let store = X509_STORE_new()
    let context = X509_STORE_CTX_new()
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
    }
    X509_STORE_add_cert(store, authority)
    X509_STORE_CTX_init(context, store, leaf, nil)
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
    if let host { X509_VERIFY_PARAM_set1_host(parameters, host, 0) }
    if let address { X509_VERIFY_PARAM_set1_ip_asc(parameters, address) }
    X509_verify_cert(context)
    return X509_STORE_CTX_get_error(context)
  }

  func keyMatches(_ pem: String) -> Bool {
    let bytes = Array(pem.utf8)
    return bytes.withUnsafeBytes { buffer in
      let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
      defer { BIO_free(bio) }
      let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
      defer { EVP_PKEY_free(key) }
      return X509_check_private_key(leaf, key) == 1
    }
  }

  private static func read(_ pem: String) -> OpaquePointer? {
    let bytes = Array(pem.utf8)
    return bytes.withUnsafeBytes { buffer in
      let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
      defer { BIO_free(bio) }
      return PEM_read_bio_X509(bio, nil, nil, nil)
    }
  }
}
