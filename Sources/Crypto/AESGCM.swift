import Bytes
import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) under one key, with random 12-byte nonces. Usable from any thread.
///
/// Sealed form: nonce (12 bytes), ciphertext, tag (16 bytes). One key may seal 2^32 messages before
/// nonces are too likely to repeat (section 8.3).
public final class AESGCM: Sendable {
  /// Bytes of a key.
  public static let keyByteCount = 32
  /// Bytes that sealing adds.
  public static let overheadByteCount = nonceByteCount + tagByteCount

  private static let nonceByteCount = 12
  private static let tagByteCount = 16

  private let sealing: CipherContextPool
  private let opening: CipherContextPool

  /// Takes a 32-byte key.
  public init(key: [UInt8]) throws(CryptoError) {
    guard key.count == Self.keyByteCount else {
      throw .wrongLength(what: "an AES-256 key", expected: Self.keyByteCount, actual: key.count)
    }
    sealing = try CipherContextPool(key: key, encrypting: true)
    opening = try CipherContextPool(key: key, encrypting: false)
  }

  /// Encrypts `plaintext` and authenticates it together with `aad` (additional data, not included).
  public func seal(_ plaintext: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    let nonce = try Random.bytes(Self.nonceByteCount)
    let context = try sealing.take()
    let ciphertext = try context.transform(plaintext.span, nonce: nonce.span, aad: aad)
    var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    guard context.finish(),
      EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
    else { throw .fromOpenSSL("AES-GCM") }
    sealing.give(back: context)
    return nonce + ciphertext + tag
  }

  /// The plaintext of what `seal` made with the same key and `aad`.
  public func open(_ sealed: Span<UInt8>, aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= Self.overheadByteCount else { throw .authenticationFailed }
    let ciphertextEnd = sealed.count - Self.tagByteCount
    let context = try opening.take()
    let plaintext = try context.transform(
      sealed.extracting(Self.nonceByteCount..<ciphertextEnd),
      nonce: sealed.extracting(..<Self.nonceByteCount),
      aad: aad)
    try context.expect(tag: sealed.extracting(ciphertextEnd...))
    guard context.finish() else {
      ERR_clear_error()
      throw .authenticationFailed
    }
    opening.give(back: context)
    return plaintext
  }
}

/// Contexts that already hold the expanded key, so that an operation only sets its nonce.
private final class CipherContextPool: Sendable {
  /// Contexts kept; as many threads can work at once without building a new one.
  private static let limit = 16

  private let template: CipherContext
  private let idle = Locked<[CipherContext]>([])

  init(key: [UInt8], encrypting: Bool) throws(CryptoError) {
    template = try CipherContext(key: key, encrypting: encrypting)
  }

  /// A context for the caller alone. One that failed is dropped and not given back.
  func take() throws(CryptoError) -> CipherContext {
    if let context = idle.withLock({ $0.popLast() }) { return context }
    return try CipherContext(copying: template)
  }

  func give(back context: CipherContext) {
    idle.withLock { if $0.count < Self.limit { $0.append(context) } }
  }
}

/// Owns one `EVP_CIPHER_CTX`; freeing it wipes the key.
///
/// Sendable: the pool hands each to one thread at a time, and its template is only ever copied.
private final class CipherContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init(key: [UInt8], encrypting: Bool) throws(CryptoError) {
    guard let pointer = EVP_CIPHER_CTX_new() else { throw .fromOpenSSL("AES-GCM") }
    self.pointer = pointer
    guard EVP_CipherInit_ex2(pointer, Algorithms.aes256GCM.pointer, key, nil, encrypting ? 1 : 0, nil) == 1
    else { throw .fromOpenSSL("AES-GCM") }
  }

  init(copying other: CipherContext) throws(CryptoError) {
    guard let pointer = EVP_CIPHER_CTX_new() else { throw .fromOpenSSL("AES-GCM") }
    self.pointer = pointer
    guard EVP_CIPHER_CTX_copy(pointer, other.pointer) == 1 else { throw .fromOpenSSL("AES-GCM") }
  }

  deinit { EVP_CIPHER_CTX_free(pointer) }

  /// Encrypts or decrypts `input` after taking in `aad`.
  func transform(
    _ input: Span<UInt8>, nonce: Span<UInt8>, aad: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard let length = Int32(exactly: input.count), let aadLength = Int32(exactly: aad.count) else {
      throw .openSSL(operation: "AES-GCM", reason: "more than 2 GiB")
    }
    var output = [UInt8](repeating: 0, count: input.count)
    var written: Int32 = 0
    // An update without bytes would count as the final call, so it must not be made.
    guard
      nonce.withUnsafeBufferPointer({ EVP_CipherInit_ex2(pointer, nil, nil, $0.baseAddress, -1, nil) }) == 1,
      aad.isEmpty || EVP_CipherUpdate(pointer, nil, &written, aad, aadLength) == 1,
      input.isEmpty
        || input.withUnsafeBufferPointer({
          EVP_CipherUpdate(pointer, &output, &written, $0.baseAddress, length)
        }) == 1
    else { throw .fromOpenSSL("AES-GCM") }
    return output
  }

  /// Says which tag `finish` is to find.
  func expect(tag: Span<UInt8>) throws(CryptoError) {
    let code = tag.withUnsafeBufferPointer { tag in
      // OpenSSL takes a pointer that it could write through, but copies the tag.
      EVP_CIPHER_CTX_ctrl(
        pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), UnsafeMutableRawPointer(mutating: tag.baseAddress))
    }
    guard code == 1 else { throw .fromOpenSSL("AES-GCM") }
  }

  /// Makes the tag, or compares it with the one set; GCM gives out no bytes here.
  func finish() -> Bool {
    var none: UInt8 = 0
    var written: Int32 = 0
    return EVP_CipherFinal_ex(pointer, &none, &written) == 1
  }
}
