import Bytes
import COpenSSL
import Glibc

/// What a certificate says of itself, for people. Nothing is verified.
public struct CertificateFacts: Sendable, Hashable {
  /// The common name of its subject; empty when it has none.
  public var commonName: String
  /// The host names and addresses that it stands for (RFC 5280, section 4.2.1.6).
  public var names: [String]
  /// The organisation and the common name of its issuer, as far as it gives them.
  public var issuer: String?
  /// When it ends, in seconds since the epoch. Nil when that cannot be read.
  public var expiresAt: Int64?
  /// Whether it stands for the host that was asked for (RFC 6125); true when none was.
  public var isForHost: Bool

  /// Seconds from now to its end; negative once it is over. Nil when it cannot be read.
  public var secondsLeft: Int64? { expiresAt.map { $0 - Int64(time(nil)) } }

  /// From now to its end, rounded towards zero; negative once it is over.
  public var daysLeft: Int { Int((secondsLeft ?? 0) / 86_400) }

  /// Also when its end cannot be read.
  public var hasExpired: Bool { (secondsLeft ?? -1) < 0 }

  /// Every certificate in a PEM text, in order. Errors: `invalidPEM` when there is none.
  ///
  /// - Parameter host: a host name to look for in them.
  public static func all(inPEM text: String, host: String? = nil) throws(CryptoError) -> [CertificateFacts] {
    try PEM.certificates(text).map { CertificateFacts($0.pointer, host) }
  }

  private init(_ certificate: OpaquePointer, _ host: String?) {
    commonName = Self.text(NID_commonName, of: X509_get_subject_name(certificate)) ?? ""
    names = Self.alternativeNames(certificate)
    let issuerName = X509_get_issuer_name(certificate)
    let issuer = [NID_organizationName, NID_commonName].compactMap { Self.text($0, of: issuerName) }
    self.issuer = issuer.isEmpty ? nil : issuer.joined(separator: ", ")
    var end = tm()
    expiresAt =
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1 ? Int64(timegm(&end)) : nil
    isForHost = host.map { X509_check_host(certificate, $0, $0.utf8.count, 0, nil) == 1 } ?? true
  }

  private static func text(_ attribute: Int32, of name: OpaquePointer?) -> String? {
    var bytes = [CChar](repeating: 0, count: 256)
    let length = X509_NAME_get_text_by_NID(name, attribute, &bytes, Int32(bytes.count))
    guard length > 0 else { return nil }
    return String(decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func alternativeNames(_ certificate: OpaquePointer) -> [String] {
    guard let found = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
    let stack = OpaquePointer(found)
    defer { GENERAL_NAMES_free(stack) }
    return (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
      guard let name = OPENSSL_sk_value(stack, index) else { return nil }
      var kind: Int32 = 0
      let value = GENERAL_NAME_get0_value(name.assumingMemoryBound(to: GENERAL_NAME.self), &kind)
      guard kind == GEN_DNS || kind == GEN_IPADD, let value else { return nil }
      let string = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = [UInt8](
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
      return kind == GEN_DNS ? String(decoding: bytes, as: UTF8.self) : IPAddress(bytes: bytes)?.description
    }
  }
}
