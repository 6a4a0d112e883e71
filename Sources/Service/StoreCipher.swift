import Crypto
import Store

/// Seals device tokens with AES-256-GCM and indexes them by HMAC-SHA-256, each with a key of its own that
/// is derived from the store's master key.
public struct StoreCipher: TokenCipher {
  /// Bytes of the master key.
  public static let keyByteCount = 32

  private let cipher: AESGCM
  private let indexKey: [UInt8]
  /// For the pseudonyms of clients in the log: the same as long as the store is.
  public let pseudonymKey: [UInt8]

  /// - Parameter masterKey: 32 random bytes.
  public init(masterKey: [UInt8]) throws(CryptoError) {
    guard masterKey.count == Self.keyByteCount else {
      throw .wrongLength(what: "the token key", expected: Self.keyByteCount, actual: masterKey.count)
    }
    cipher = try AESGCM(
      key: HMACSHA256.authenticate(key: masterKey, message: Array("pushbox device token sealing".utf8)))
    pseudonymKey = try HMACSHA256.authenticate(key: masterKey, message: Array("pushbox log pseudonyms".utf8))
    indexKey = try HMACSHA256.authenticate(key: masterKey, message: Array("pushbox device token index".utf8))
  }

  public func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenCipherError) -> [UInt8] {
    do throws(CryptoError) {
      return try cipher.seal(plain, aad: context)
    } catch {
      throw TokenCipherError("sealing failed: \(error)")
    }
  }

  public func open(_ sealed: Span<UInt8>, context: [UInt8]) throws(TokenCipherError) -> [UInt8] {
    do throws(CryptoError) {
      return try cipher.open(sealed, aad: context)
    } catch {
      throw TokenCipherError("a stored device token cannot be opened: \(error)")
    }
  }

  public func index(_ bytes: [UInt8]) -> [UInt8] {
    // Fails only without memory; the store refuses an index of the wrong length.
    (try? HMACSHA256.authenticate(key: indexKey, message: bytes)) ?? []
  }
}
