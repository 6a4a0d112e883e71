import COpenSSL
import Crypto

/// A certificate with its private key, to be shown to peers.
public final class TLSIdentity: Sendable {
  private let own: CertificateHandle
  private let ownKey: KeyHandle
  private let issuers: [CertificateHandle]

  /// Valid as long as this is.
  var certificate: OpaquePointer { own.pointer }
  var key: OpaquePointer { ownKey.pointer }
  /// The issuers that come with it.
  var chain: [OpaquePointer] { issuers.map(\.pointer) }

  /// From PEM texts, the own certificate first.
  public convenience init(certificateChain: String, privateKey: String) throws(TLSError) {
    var chain = try TLSError.reading("certificate") { () throws(CryptoError) in
      try PEM.certificates(certificateChain)
    }
    let key = try TLSError.reading("private key") { () throws(CryptoError) in try PEM.privateKey(privateKey) }
    try self.init(chain.removeFirst(), key, chain)
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
      throw .badPKCS12(reason: "it must hold a certificate and its private key: export both together")
    }
    try self.init(certificate, key, parsed.chain)
  }

  private init(_ certificate: CertificateHandle, _ key: KeyHandle, _ chain: [CertificateHandle])
    throws(TLSError)
  {
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
      ERR_clear_error()
      throw .keyMismatch
    }
    own = certificate
    ownKey = key
    issuers = chain
  }

  private struct Parsed {
    var certificate: CertificateHandle?
    var key: KeyHandle?
    var chain: [CertificateHandle]
  }

  private static func parse(_ file: OpaquePointer, _ password: String) -> Parsed? {
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard PKCS12_parse(file, password, &key, &certificate, &others) == 1 else { return nil }
    var chain: [CertificateHandle] = []
    if let others {
      while let next = OPENSSL_sk_shift(others) {
        chain.append(CertificateHandle(owning: OpaquePointer(next)))
      }
      OPENSSL_sk_free(others)
    }
    return Parsed(
      certificate: certificate.map(CertificateHandle.init(owning:)), key: key.map(KeyHandle.init(owning:)),
      chain: chain)
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
