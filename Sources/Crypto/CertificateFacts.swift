import COpenSSL

/// What a certificate says of itself, for people. Nothing is verified.
public struct CertificateFacts: Sendable, Hashable {
  /// The common name of its subject; empty when it has none.
  public var commonName: String
  /// From now to its end, rounded towards zero; negative once it is over.
  public var daysLeft: Int
  public var hasExpired: Bool
  /// Seconds from now to its end; negative once it is over. Nil when it cannot be read.
  public var secondsLeft: Int64?
  /// When it ends, in seconds since the epoch. Nil when it cannot be read.
  public var expiresAt: Int64?
  /// Whether it stands for the host that was asked for (RFC 6125); true when none was.
  public var isForHost: Bool

  /// Every certificate in a PEM text, in order. Errors: `invalidPEM` when there is none.
  ///
  /// - Parameter host: a host name to look for in them.
  public static func all(inPEM text: String, host: String? = nil) throws(CryptoError) -> [CertificateFacts] {
    let bytes = Array(text.utf8)
    let facts = bytes.withUnsafeBytes { buffer -> [CertificateFacts] in
      guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return [] }
      defer { BIO_free_all(bio) }
      var found: [CertificateFacts] = []
      while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
        defer { X509_free(certificate) }
        found.append(CertificateFacts(certificate, host))
      }
      return found
    }
    // The end of the text is an error to OpenSSL.
    ERR_clear_error()
    guard !facts.isEmpty else { throw .invalidPEM("it holds no certificate that can be read") }
    return facts
  }

  private init(_ certificate: OpaquePointer, _ host: String?) {
    var name = [CChar](repeating: 0, count: 256)
    let length = X509_NAME_get_text_by_NID(
      X509_get_subject_name(certificate), NID_commonName, &name, Int32(name.count))
    commonName = String(
      decoding: name.prefix(max(0, Int(length))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var days: Int32 = 0
    var seconds: Int32 = 0
    // No start: from now.
    let isKnown = ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1
    daysLeft = Int(days)
    secondsLeft = isKnown ? Int64(days) * 86_400 + Int64(seconds) : nil
    var end = tm()
    expiresAt =
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1 ? Int64(timegm(&end)) : nil
    hasExpired = !isKnown || days < 0 || seconds < 0
    isForHost = host.map { X509_check_host(certificate, $0, $0.utf8.count, 0, nil) == 1 } ?? true
  }
}
