import Bytes
import COpenSSL

/// A certificate with its key, both as PEM text.
public struct IssuedCertificate: Sendable {
  public let certificatePEM: String
  /// Unencrypted PKCS#8.
  public let privateKeyPEM: String
}

/// A throw-away authority on P-256 that issues certificates for servers on the loopback interface, for
/// the demo and for tests. Its key lives in memory only; nothing should trust it for long.
public final class LoopbackCertificateAuthority: @unchecked Sendable {
  // Safe to share: the certificate is complete and signed when `init` ends, and only read after that.
  private let certificate: CertificateBuilder
  private let key: P256PrivateKey

  /// The authority's own certificate, to be trusted by clients.
  public let certificatePEM: String

  /// The times within which a certificate is valid, in seconds since the epoch.
  public typealias Validity = Range<Int>

  /// Makes a new authority, valid within `validity`.
  public init(commonName: String = "pushbox loopback CA", validity: Validity) throws(CryptoError) {
    try Self.check(validity)
    key = try P256PrivateKey.generate()
    certificate = try CertificateBuilder(
      commonName: commonName, subjectKey: key.handle, validity: validity)
    let issuer = certificate.pointer
    try certificate.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: issuer)
    try certificate.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: issuer)
    try certificate.add(NID_subject_key_identifier, "hash", issuer: issuer)
    try certificate.sign(issuer: issuer, key: key.handle)
    certificatePEM = try certificate.pem()
  }

  /// Issues a certificate, for server and client use, for `names`: DNS names and IP addresses, the first
  /// of which is the common name as well. A validity in the past gives an expired certificate.
  ///
  /// - Parameters:
  ///   - userID: the subject's UID, which in Apple's push certificates is the app's bundle ID.
  ///   - marks: object identifiers of extensions without content.
  public func issue(
    names: [String], validity: Validity, userID: String? = nil, marks: [String] = []
  ) throws(CryptoError) -> IssuedCertificate {
    try Self.check(validity)
    guard let first = names.first else { throw .invalidCertificateRequest("no name given") }
    var alternatives: [String] = []
    for name in names { alternatives.append(try Self.alternativeName(name)) }
    let leafKey = try P256PrivateKey.generate()
    let leaf = try CertificateBuilder(commonName: first, subjectKey: leafKey.handle, validity: validity)
    if let userID { try leaf.addSubject("UID", userID) }
    let issuer = certificate.pointer
    try leaf.add(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
    try leaf.add(NID_key_usage, "critical,digitalSignature", issuer: issuer)
    try leaf.add(NID_ext_key_usage, "serverAuth,clientAuth", issuer: issuer)
    try leaf.add(NID_subject_alt_name, alternatives.joined(separator: ","), issuer: issuer)
    try leaf.add(NID_subject_key_identifier, "hash", issuer: issuer)
    try leaf.add(NID_authority_key_identifier, "keyid:always", issuer: issuer)
    for mark in marks { try leaf.addMark(mark) }
    try leaf.sign(issuer: issuer, key: key.handle)
    return try IssuedCertificate(certificatePEM: leaf.pem(), privateKeyPEM: leafKey.pem())
  }

  /// `name` in the syntax of OpenSSL's subjectAltName. Only characters of host names and addresses pass,
  /// as a comma would begin another entry.
  private static func alternativeName(_ name: String) throws(CryptoError) -> String {
    let plain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard plain, !name.isEmpty, name.utf8.count <= 64 else {
      throw .invalidCertificateRequest(
        "\"\(name.prefix(80))\" is no host name or IP address of at most 64 bytes")
    }
    guard let address = a2i_IPADDRESS(name) else {
      // Not an address; the attempt has left entries.
      ERR_clear_error()
      return "DNS:\(name)"
    }
    ASN1_OCTET_STRING_free(address)
    return "IP:\(name)"
  }

  private static func check(_ validity: Validity) throws(CryptoError) {
    // Years 1950 to 9999, what ASN.1 times can say.
    guard validity.lowerBound >= -631_152_000, validity.upperBound <= 253_402_300_799 else {
      throw .invalidCertificateRequest("its validity is outside the years 1950 to 9999")
    }
  }
}
