import COpenSSL

/// Owns one `X509`.
///
/// Sendable: the certificate is never changed once read, and OpenSSL counts references atomically.
package final class CertificateHandle: @unchecked Sendable {
  package let pointer: OpaquePointer

  /// Takes over `pointer`.
  package init(owning pointer: OpaquePointer) { self.pointer = pointer }
  deinit { X509_free(pointer) }
}
