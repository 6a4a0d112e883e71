import COpenSSL

/// Reads and writes keys and certificates in PEM (RFC 7468).
package enum PEM {
  /// Longest text read, in bytes; an RSA key of 16,384 bits takes about 13,000.
  static let maximumByteCount = 65_536

  /// The private key in `text`: PKCS#8, SEC1 or PKCS#1, not protected by a password.
  package static func privateKey(_ text: String) throws(CryptoError) -> KeyHandle {
    let labels = try blockLabels(text)
    if labels.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
      throw .invalidPEM(
        "the private key is protected by a password; remove it with `openssl pkcs8 -in KEY -out PLAIN_KEY`")
    }
    try require(["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"], in: labels, what: "a private key")
    return try read(text, "private key") { bio in PEM_read_bio_PrivateKey(bio, nil, noPassword, nil) }
  }

  /// Every certificate in `text`, in order; text beside them is passed over.
  package static func certificates(_ text: String) throws(CryptoError) -> [CertificateHandle] {
    let found = withBIO(over: text) { bio in
      var found: [CertificateHandle] = []
      while let certificate = PEM_read_bio_X509(bio, nil, noPassword, nil) {
        found.append(CertificateHandle(owning: certificate))
      }
      return found
    }
    // The end of the text is an error to OpenSSL.
    ERR_clear_error()
    guard let found, !found.isEmpty else { throw .invalidPEM("it holds no certificate that can be read") }
    return found
  }

  /// The public key (SubjectPublicKeyInfo) in `text`.
  static func publicKey(_ text: String) throws(CryptoError) -> KeyHandle {
    try require(["PUBLIC KEY"], in: blockLabels(text), what: "a public key")
    return try read(text, "public key") { bio in PEM_read_bio_PUBKEY(bio, nil, noPassword, nil) }
  }

  /// `key` as an unencrypted PKCS#8 block.
  static func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> String {
    try write("private key") { bio in
      PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil)
    }
  }

  /// The public half of `key` as a SubjectPublicKeyInfo block.
  static func encodePublic(_ key: KeyHandle) throws(CryptoError) -> String {
    try write("public key") { bio in PEM_write_bio_PUBKEY(bio, key.pointer) }
  }

  /// What `body` writes to a memory BIO; it returns OpenSSL's status, 1 for success.
  static func write(_ what: String, _ body: (OpaquePointer) -> Int32) throws(CryptoError) -> String {
    guard let bio = BIO_new(BIO_s_secmem()) else { throw .fromOpenSSL("\(what) encoding") }
    defer { BIO_free_all(bio) }
    guard body(bio) == 1 else { throw .fromOpenSSL("\(what) encoding") }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
    guard let length = Int32(exactly: bytes.count), BIO_read(bio, &bytes, length) == length
    else { throw .fromOpenSSL("\(what) encoding") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func read(
    _ text: String, _ what: String, _ body: (OpaquePointer) -> OpaquePointer?
  ) throws(CryptoError) -> KeyHandle {
    guard let key = withBIO(over: text, body) ?? nil else {
      throw .invalidPEM("the \(what) cannot be decoded (\(CryptoError.takeOpenSSLReason()))")
    }
    // Attempts with other formats leave entries behind even when one succeeds.
    ERR_clear_error()
    return KeyHandle(owning: key)
  }

  /// nil when OpenSSL has no memory. The BIO borrows the text, so it must not outlive `body`.
  private static func withBIO<Value>(over text: String, _ body: (OpaquePointer) -> Value) -> Value? {
    Array(text.utf8).withUnsafeBytes { buffer -> Value? in
      guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
      defer { BIO_free_all(bio) }
      return body(bio)
    }
  }

  private static func blockLabels(_ text: String) throws(CryptoError) -> [String] {
    guard text.utf8.count <= maximumByteCount else {
      throw .invalidPEM("\(text.utf8.count) bytes of text; at most \(maximumByteCount) are read")
    }
    var labels: [String] = []
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("-----BEGIN ") {
      let rest = line.dropFirst("-----BEGIN ".count)
      guard let end = rest.firstRange(of: "-----"), rest[end.upperBound...].allSatisfy(\.isWhitespace) else {
        throw .invalidPEM(
          "the line that begins the block goes on after its label; give the text with real line breaks")
      }
      labels.append(String(rest[..<end.lowerBound]))
    }
    guard !labels.isEmpty else {
      throw .invalidPEM(
        "no line begins with \"-----BEGIN \"; give the whole PEM text with its line breaks")
    }
    return labels
  }

  private static func require(
    _ wanted: [String], in labels: [String], what: String
  ) throws(CryptoError) {
    guard labels.contains(where: wanted.contains) else {
      // A label is a few words of public text, but bounded all the same since it may be anything.
      let found = labels.map { String($0.prefix(40)) }.joined(separator: ", ")
      throw .invalidPEM("\(what) is needed but the text holds: \(found)")
    }
  }
}

/// Stands in for OpenSSL's default, which would ask for a password on the terminal.
private func noPassword(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ forWriting: Int32,
  _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }
