import Bytes

/// Names one installation of a wallet: usually the bare multibase form of an Ed25519 `did:key`
/// (`z6Mk...`), but any text serves. Equal when the bytes are equal.
public struct ClientID: Hashable, Sendable, CustomStringConvertible {
  /// Longest ID, in bytes.
  public static let maximumByteCount = 255

  /// The ID without `did:key:`.
  public let text: String

  /// Takes an ID in the bare or the `did:key:` form; as in the Rust server the prefix may be repeated.
  public init(_ text: String) throws(ClientIDError) {
    var bare = text[...]
    while bare.utf8.starts(with: DIDKey.prefix.utf8) {
      bare = Substring(bare.utf8.dropFirst(DIDKey.prefix.utf8.count))
    }
    guard !bare.isEmpty else { throw .empty }
    guard bare.utf8.count <= Self.maximumByteCount else { throw .tooLong(byteCount: bare.utf8.count) }
    let id = String(bare)
    guard !Self.hasControlCharacter(id) else { throw .controlCharacter }
    self.text = id
  }

  /// Whether a character of U+0000 to U+001F or U+007F to U+009F is there; the latter begin with C2. Looks
  /// at bytes because each push passes here.
  private static func hasControlCharacter(_ text: String) -> Bool {
    if text.allUTF8Bytes({ $0 >= 0x20 && $0 < 0x7F }) { return false }
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
      previous = byte
    }
    return false
  }

  /// The Ed25519 key that the ID stands for, 32 bytes; nil when the ID is any other text.
  public var didKeyPublicKey: [UInt8]? { try? DIDKey.publicKey(multibase: text) }

  /// Says nothing of the ID: logs show its pseudonym.
  public var description: String { "<client ID>" }

  // Not `String`'s equality, which takes canonically equivalent texts for the same.
  public static func == (left: ClientID, right: ClientID) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Why a text is no client ID.
public enum ClientIDError: Error, Equatable, Sendable, CustomStringConvertible {
  case empty
  case tooLong(byteCount: Int)
  case controlCharacter

  public var description: String {
    switch self {
    case .empty: "the client ID is empty"
    case .tooLong(let byteCount):
      "the client ID is \(byteCount) bytes long; at most \(ClientID.maximumByteCount) are allowed"
    case .controlCharacter: "the client ID contains a control character"
    }
  }
}
