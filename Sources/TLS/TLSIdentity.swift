import COpenSSL

/// A certificate with its private key, to be shown to peers.
public final class TLSIdentity: Sendable {
  /// Safe to share: counted atomically by OpenSSL and only read once made.
  nonisolated(unsafe) let certificate: OpaquePointer
  nonisolated(unsafe) let key: OpaquePointer
  /// The issuers that come with it.
  nonisolated(unsafe) let chain: [OpaquePointer]

  /// From PEM texts, the own certificate first.
  public convenience init(certificateChain: String, privateKey: String) throws(TLSError) {
    var chain = try PEM.certificates(in: certificateChain, what: "certificate")
    guard !chain.isEmpty else { throw .badPEM(what: "certificate", reason: "it is empty") }
    let certificate = chain.removeFirst()
    do throws(TLSError) {
      try self.init(adopting: certificate, key: try PEM.privateKey(in: privateKey), chain: chain)
    } catch {
      for handle in [certificate] + chain { X509_free(handle) }
      throw error
    }
  }

  /// From a PKCS #12 file (`.p12`), as Apple's Keychain exports it (RFC 7292). Its old ciphers need OpenSSL's
  /// legacy provider, which is loaded when it comes to that.
  public convenience init(pkcs12 bytes: [UInt8], password: String) throws(TLSError) {
    ERR_clear_error()
    let file = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var start = buffer.baseAddress
      return d2i_PKCS12(nil, &start, buffer.count)
    }
    guard let file else { throw .badPKCS12(reason: "it is no PKCS #12 file (\(TLSError.lastReason()))") }
    defer { PKCS12_free(file) }
    // The MAC alone tells a wrong password from a cipher that is not there.
    guard
      PKCS12_mac_present(file) == 0 || PKCS12_verify_mac(file, password, -1) == 1
        || (password.isEmpty && PKCS12_verify_mac(file, nil, 0) == 1)
    else {
      ERR_clear_error()
      throw .badPKCS12(reason: "the password is wrong")
    }
    var parsed = Self.parse(file, password)
    if parsed == nil {
      ERR_clear_error()
      LegacyCiphers.load()
      parsed = Self.parse(file, password)
    }
    guard let parsed else { throw .badPKCS12(reason: TLSError.lastReason()) }
    guard let certificate = parsed.certificate, let key = parsed.key else {
      for handle in parsed.chain { X509_free(handle) }
      X509_free(parsed.certificate)
      EVP_PKEY_free(parsed.key)
      throw .badPKCS12(reason: "it must hold a certificate and its private key: export both together")
    }
    do throws(TLSError) {
      try self.init(adopting: certificate, key: key, chain: parsed.chain)
    } catch {
      for handle in [certificate] + parsed.chain { X509_free(handle) }
      throw error
    }
  }

  /// Takes the handles over; on an error only the key, which it frees.
  private init(adopting certificate: OpaquePointer, key: OpaquePointer, chain: [OpaquePointer])
    throws(TLSError)
  {
    guard X509_check_private_key(certificate, key) == 1 else {
      ERR_clear_error()
      EVP_PKEY_free(key)
      throw .keyMismatch
    }
    self.certificate = certificate
    self.key = key
    self.chain = chain
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
    for issuer in chain { X509_free(issuer) }
  }

  private struct Parsed {
    var certificate: OpaquePointer?
    var key: OpaquePointer?
    var chain: [OpaquePointer]
  }

  private static func parse(_ file: OpaquePointer, _ password: String) -> Parsed? {
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard PKCS12_parse(file, password, &key, &certificate, &others) == 1 else { return nil }
    var chain: [OpaquePointer] = []
    if let others {
      while let next = OPENSSL_sk_shift(others) { chain.append(OpaquePointer(next)) }
      OPENSSL_sk_free(others)
    }
    return Parsed(certificate: certificate, key: key, chain: chain)
  }
}

/// OpenSSL's provider of ciphers that are too weak for anything new, such as RC2 with 40 bits.
enum LegacyCiphers {
  /// Loaded at most once and kept; beside the default one, which is no longer implied then. Safe to share: never
  /// touched again.
  nonisolated(unsafe) private static let providers = [
    OSSL_PROVIDER_load(nil, "default"), OSSL_PROVIDER_load(nil, "legacy"),
  ]

  static func load() { _ = providers }
}
