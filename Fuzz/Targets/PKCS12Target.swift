import TLS

extension FuzzTarget {
  /// A push certificate as a `.p12` file.
  static let pkcs12 = FuzzTarget("PKCS12") { input in
    for password in ["secret", ""] {
      do throws(TLSError) {
        let identity = try TLSIdentity(pkcs12: input, password: password)
        _ = identity.subjectUserID
        _ = identity.expiry
      } catch {
        promise(!error.description.isEmpty, "an error without words")
      }
    }
  }
}
