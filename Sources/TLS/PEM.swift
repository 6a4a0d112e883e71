import COpenSSL

/// Reads PEM blocks out of memory.
enum PEM {
  /// Every certificate in `text`, in order; the caller frees each.
  static func certificates(in text: String, what: String) throws(TLSError) -> [OpaquePointer] {
    let bio = try memory(text)
    defer { BIO_free(bio) }
    var found: [OpaquePointer] = []
    while let certificate = PEM_read_bio_X509(bio, nil, refusePassphrase, nil) { found.append(certificate) }
    let reason = TLSError.lastReason()
    guard !found.isEmpty else { throw .badPEM(what: what, reason: reason) }
    return found
  }

  /// The private key in `text`; the caller frees it.
  static func privateKey(in text: String) throws(TLSError) -> OpaquePointer {
    let bio = try memory(text)
    defer { BIO_free(bio) }
    guard let key = PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil) else {
      throw .badPEM(what: "private key", reason: TLSError.lastReason())
    }
    return key
  }

  private static func memory(_ text: String) throws(TLSError) -> OpaquePointer {
    let bytes = Array(text.utf8)
    let length = Int32(clamping: bytes.count)
    // BIO_new copies nothing here, so a writable BIO takes its own copy.
    guard let bio = BIO_new(BIO_s_mem()), BIO_write(bio, bytes, length) == length else {
      throw .library(TLSError.lastReason())
    }
    return bio
  }
}

/// Without this, an encrypted key would make OpenSSL ask on the terminal.
private func refusePassphrase(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ user: UnsafeMutableRawPointer?
) -> Int32 { -1 }
