import Bytes

/// The compact form of JSON Web Signature (RFC 7515 section 7.1). Makes and splits; the caller writes
/// and reads the JSON and signs or verifies.
public enum JWT {
  /// The bytes to sign: both parts in base64url, joined by a dot.
  public static func signingInput(header: [UInt8], claims: [UInt8]) -> [UInt8] {
    Array("\(Base64.encode(header, .url)).\(Base64.encode(claims, .url))".utf8)
  }

  /// The token: `signingInput` with its signature.
  public static func join(signingInput: [UInt8], signature: [UInt8]) -> String {
    "\(String(decoding: signingInput, as: UTF8.self)).\(Base64.encode(signature, .url))"
  }

  /// A token taken apart. Nothing is verified yet.
  public struct Parts: Sendable, Equatable {
    /// JSON text of the header.
    public let header: [UInt8]
    /// JSON text of the claims.
    public let claims: [UInt8]
    public let signature: [UInt8]
    /// What the signature covers.
    public let signingInput: [UInt8]

    /// Longest token taken, in bytes.
    public static let maximumByteCount = 8192

    /// Splits `token` at its dots: exactly three parts, each base64url without padding.
    public init(compact token: some Collection<UInt8>) throws(CryptoError) {
      guard token.count <= Self.maximumByteCount else {
        throw .malformedToken("it is longer than \(Self.maximumByteCount) bytes")
      }
      let bytes = Array(token)
      let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count == 3 else {
        throw .malformedToken("it has \(parts.count) dot-separated parts instead of 3")
      }
      header = try Self.decode(parts[0], "header")
      claims = try Self.decode(parts[1], "claims")
      signature = try Self.decode(parts[2], "signature")
      signingInput = Array(bytes[..<parts[1].endIndex])
    }

    private static func decode(_ part: ArraySlice<UInt8>, _ name: String) throws(CryptoError) -> [UInt8] {
      guard !part.isEmpty, let bytes = Base64.decode(part, .url) else {
        throw .malformedToken("its \(name) is not base64url without padding")
      }
      return bytes
    }
  }
}
