/// Keeps device tokens unreadable in the files: injected, so that the store needs no crypto library.
/// Implementations are called from any thread.
public protocol TokenCipher: Sendable {
  /// Encrypts and authenticates `plain` together with `context`, which is not stored.
  func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenCipherError) -> [UInt8]
  /// The reverse; throws unless key, context and every byte are those of `seal`.
  func open(_ sealed: Span<UInt8>, context: [UInt8]) throws(TokenCipherError) -> [UInt8]
  /// A keyed cryptographic hash of exactly 32 bytes, with a key of its own: equal input, equal output.
  func index(_ bytes: [UInt8]) -> [UInt8]
}

/// Why a cipher refused, in words without secrets.
public struct TokenCipherError: Error, Sendable {
  public var detail: String

  public init(_ detail: String) {
    self.detail = detail
  }
}

/// What a device token is found by: app, kind and token, hashed with the cipher's key.
enum TokenIndex {
  /// Bytes: without the key no two tokens can be found that share one, and by chance none ever do.
  static let length = 16
}

extension TokenCipher {
  func tokenIndex(app: String, kind: TokenKind, token: String) throws(StoreError) -> [UInt8] {
    let hash = index(Array(app.utf8) + [0, kind.rawValue] + Array(token.utf8))
    guard hash.count == 32 else { throw .cipher("its index has \(hash.count) bytes instead of 32") }
    return Array(hash.prefix(TokenIndex.length))
  }

  /// Stored when the store is made, compared when it is opened: tells a wrong master key before it does harm.
  var keyCheck: [UInt8] { index(Array("pushbox store key check".utf8)) }
}
