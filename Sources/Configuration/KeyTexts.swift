import Bytes

/// The relay's public key as text.
enum RelayKey {
  static let advice = "the key is served at GET https://relay.walletconnect.com/public-key"

  /// Each push that is refused costs a check against every key.
  static let maximumCount = 4

  /// The keys that a file holds, one a line; nil when there is none, too many, or anything else.
  static func decodeFile(_ text: String) -> [[UInt8]]? {
    let lines = text.split(whereSeparator: \.isNewline).map { trimmed(String($0)) }.filter { !$0.isEmpty }
    let keys = lines.compactMap(decode)
    return keys.count == lines.count && (1...maximumCount).contains(keys.count) ? keys : nil
  }

  /// The 32 bytes of 64 hexadecimal digits, white space around them ignored; nil for anything else.
  static func decode(_ text: String) -> [UInt8]? {
    guard let bytes = Hex.decode(trimmed(text)), bytes.count == 32 else { return nil }
    return bytes
  }
}

/// A private key as text.
enum PrivateKeyText {
  /// The PEM text (RFC 7468) that `text` is, or is the base64 of; nil for anything else. Whether the key is any
  /// good shows when it is loaded.
  static func pem(_ text: String) -> String? {
    if isPEM(text) { return text }
    let compact = text.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }
    guard let bytes = Base64.decode(compact), let decoded = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return isPEM(decoded) ? decoded : nil
  }

  private static func isPEM(_ text: String) -> Bool {
    text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") && text.contains("-----END ")
  }
}

/// A push certificate as text.
enum CertificateText {
  static func isPEM(_ text: String) -> Bool { text.contains("-----BEGIN ") }

  /// Whether it is PEM or base64. Whether the certificate is any good shows when it is loaded.
  static func isUsable(_ text: String) -> Bool { isPEM(text) || pkcs12(text) != nil }

  /// The bytes that `text` is the base64 of; nil for anything else.
  static func pkcs12(_ text: String) -> [UInt8]? {
    let compact = text.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }
    guard !compact.isEmpty else { return nil }
    return Base64.decode(compact)
  }

  /// A password as a file holds it: without the line's end.
  static func password(_ text: String) -> String {
    var bytes = text.utf8[...]
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes = bytes.dropLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// An admin password's hash as text.
enum PasswordHashText {
  /// `text` when it can be one. Whether it can be used shows when it is loaded.
  static func hash(_ text: String) -> String? {
    let content = trimmed(text)
    return content.hasPrefix("$scrypt$") ? content : nil
  }
}

/// The token that lets somebody read the metrics.
enum MetricsToken {
  static let advice =
    "expected at least 16 letters, digits and other visible ASCII characters, without spaces"

  /// `text` without white space around it, when it can be sent in a header.
  static func token(_ text: String) -> String? {
    let content = trimmed(text)
    return isUsable(content) ? content : nil
  }

  static func isUsable(_ text: String) -> Bool {
    (16...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// A service account as text.
enum ServiceAccountText {
  /// `text` when it can be a JSON object; nil otherwise. Its members are checked when it is loaded.
  static func json(_ text: String) -> String? {
    let content = trimmed(text)
    return content.hasPrefix("{") && content.hasSuffix("}") ? text : nil
  }
}

/// `text` without ASCII white space at its ends.
private func trimmed(_ text: String) -> String {
  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  var bytes = text.utf8[...]
  while let first = bytes.first, isSpace(first) { bytes = bytes.dropFirst() }
  while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
  return String(decoding: bytes, as: UTF8.self)
}
