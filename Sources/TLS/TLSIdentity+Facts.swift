import COpenSSL
import Glibc

/// What the certificate says of itself, for people and for defaults. Nothing is verified.
extension TLSIdentity {
  /// Where a push certificate serves.
  public enum PushEnvironment: String, Sendable, CaseIterable {
    case sandbox, production

    /// The extension with which Apple marks such a certificate (Apple, "Certification Practice Statement,
    /// Worldwide Developer Relations": development and production push services).
    public var objectIdentifier: String {
      switch self {
      case .sandbox: "1.2.840.113635.100.6.3.1"
      case .production: "1.2.840.113635.100.6.3.2"
      }
    }
  }

  /// The UID of the certificate's subject; in Apple's push certificates the app's bundle ID.
  public var subjectUserID: String? { subject(NID_userId) }

  /// The common name of the subject.
  public var subjectCommonName: String? { subject(NID_commonName) }

  /// When the certificate ends, in seconds since the epoch.
  public var expiry: Int? {
    var time = tm()
    guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
    return timegm(&time)
  }

  /// Where it serves, by Apple's marks; empty when this is no push certificate of Apple's.
  public var pushEnvironments: Set<PushEnvironment> {
    Set(PushEnvironment.allCases.filter { hasExtension($0.objectIdentifier) })
  }

  private func hasExtension(_ identifier: String) -> Bool {
    guard let object = OBJ_txt2obj(identifier, 1) else { return false }
    defer { ASN1_OBJECT_free(object) }
    return X509_get_ext_by_OBJ(certificate, object, -1) >= 0
  }

  private func subject(_ attribute: Int32) -> String? {
    let name = X509_get_subject_name(certificate)
    let index = X509_NAME_get_index_by_NID(name, attribute, -1)
    guard index >= 0, let entry = X509_NAME_get_entry(name, index),
      let value = X509_NAME_ENTRY_get_data(entry)
    else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&text, value)
    guard count >= 0, let text else { return nil }
    defer { CRYPTO_free(text, nil, 0) }
    return String(validating: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}
