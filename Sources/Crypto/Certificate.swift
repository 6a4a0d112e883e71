import COpenSSL

/// Owns one `X509` while it is put together and signed.
final class CertificateBuilder {
  let pointer: OpaquePointer

  /// An X.509 version 3 certificate for `subjectKey` with a random serial number of 127 bits
  /// (RFC 5280 section 4.1.2.2: positive, at most 20 bytes).
  init(commonName: String, subjectKey: KeyHandle, validity: Range<Int>) throws(CryptoError) {
    guard let pointer = X509_new() else { throw .fromOpenSSL("certificate") }
    self.pointer = pointer
    var serial = try Random.bytes(16)
    serial[0] = serial[0] & 0x7F | 0x40
    guard let number = BN_bin2bn(serial, Int32(serial.count), nil) else { throw .fromOpenSSL("certificate") }
    defer { BN_free(number) }
    guard X509_set_version(pointer, Int(X509_VERSION_3)) == 1,
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil,
      ASN1_TIME_set(X509_getm_notBefore(pointer), validity.lowerBound) != nil,
      ASN1_TIME_set(X509_getm_notAfter(pointer), validity.upperBound) != nil,
      X509_set_pubkey(pointer, subjectKey.pointer) == 1,
      X509_NAME_add_entry_by_txt(
        X509_get_subject_name(pointer), "CN", utf8StringType, Array(commonName.utf8),
        Int32(commonName.utf8.count), -1, 0) == 1
    else { throw .fromOpenSSL("certificate") }
  }

  deinit { X509_free(pointer) }

  /// Adds an attribute to the subject's name.
  func addSubject(_ attribute: String, _ value: String) throws(CryptoError) {
    guard
      X509_NAME_add_entry_by_txt(
        X509_get_subject_name(pointer), attribute, utf8StringType, Array(value.utf8),
        Int32(clamping: value.utf8.count), -1, 0) == 1
    else { throw .fromOpenSSL("certificate") }
  }

  /// Adds the extension `identifier` (an OpenSSL NID) with `value` in OpenSSL's configuration syntax.
  func add(_ identifier: Int32, _ value: String, issuer: OpaquePointer) throws(CryptoError) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer, pointer, nil, nil, 0)
    guard let added = X509V3_EXT_nconf_nid(nil, &context, identifier, value)
    else { throw .fromOpenSSL("certificate extension") }
    defer { X509_EXTENSION_free(added) }
    guard X509_add_ext(pointer, added, -1) == 1 else { throw .fromOpenSSL("certificate extension") }
  }

  /// Adds an extension without content: its object identifier, in dotted decimals, is all it says.
  func addMark(_ objectIdentifier: String) throws(CryptoError) {
    // DER of NULL.
    guard let added = X509V3_EXT_nconf(nil, nil, objectIdentifier, "DER:05:00")
    else { throw .fromOpenSSL("certificate extension") }
    defer { X509_EXTENSION_free(added) }
    guard X509_add_ext(pointer, added, -1) == 1 else { throw .fromOpenSSL("certificate extension") }
  }

  /// Names the issuer and signs. Extensions must be complete.
  func sign(issuer: OpaquePointer, key: KeyHandle) throws(CryptoError) {
    guard X509_set_issuer_name(pointer, X509_get_subject_name(issuer)) == 1,
      X509_sign(pointer, key.pointer, EVP_sha256()) > 0
    else { throw .fromOpenSSL("certificate signing") }
  }

  func pem() throws(CryptoError) -> String {
    try PEM.write("certificate") { bio in PEM_write_bio_X509(bio, pointer) }
  }
}

/// `MBSTRING_UTF8`, a macro that Swift cannot import: the name is UTF-8.
private let utf8StringType: Int32 = 0x1000
