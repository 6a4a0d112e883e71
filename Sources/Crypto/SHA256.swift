import COpenSSL

/// SHA-256 (FIPS 180-4), whole or in pieces.
///
/// Hashing fails only when OpenSSL has no SHA-256 or no memory; no caller could go on then, so that
/// ends the process with a message.
public struct SHA256: ~Copyable {
  /// Bytes of a digest.
  public static let byteCount = 32

  private let context: OpaquePointer

  public init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, Algorithms.sha256.pointer, nil) == 1
    else { Self.unavailable() }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Hashes `bytes` after what came before.
  public mutating func update(_ bytes: Span<UInt8>) {
    let status = bytes.withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    guard status == 1 else { Self.unavailable() }
  }

  /// Hashes `bytes` after what came before.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span) }

  /// The digest of all that was given.
  public consuming func finalize() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.byteCount) { output, count in
      guard EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1 else { Self.unavailable() }
      count = Self.byteCount
    }
  }

  /// The digest of `bytes`.
  public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      let status = bytes.withUnsafeBufferPointer {
        EVP_Digest($0.baseAddress, $0.count, output.baseAddress, nil, Algorithms.sha256.pointer, nil)
      }
      guard status == 1 else { unavailable() }
      count = byteCount
    }
  }

  /// The digest of `bytes`.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

  private static func unavailable() -> Never {
    fatalError("OpenSSL cannot compute SHA-256 (\(CryptoError.takeOpenSSLReason())): check openssl.cnf")
  }
}
