import Bytes

/// Ed25519 keys as decentralised identifiers (W3C CCG "The did:key Method"): `did:key:z` and base58btc
/// of the multicodec prefix ED 01 with the 32 bytes of the key.
public enum DIDKey {
  /// What an identifier begins with.
  public static let prefix = "did:key:"

  private static let multicodec: [UInt8] = [0xED, 0x01]

  /// The 32-byte key in `did:key:z...`.
  public static func publicKey(_ text: String) throws(DIDKeyError) -> [UInt8] {
    guard text.utf8.starts(with: "did:".utf8) else { throw .notADID }
    guard text.utf8.starts(with: prefix.utf8) else { throw .otherMethod }
    return try publicKey(multibase: String(Substring(text.utf8.dropFirst(prefix.utf8.count))))
  }

  /// The 32-byte key in the part after `did:key:`.
  public static func publicKey(multibase text: String) throws(DIDKeyError) -> [UInt8] {
    var key: [UInt8] = []
    if Ed25519Multibase.appendKey(of: Array(text.utf8).span, to: &key) { return key }
    throw problem(ofMultibase: text)
  }

  /// Why `text` is no key.
  private static func problem(ofMultibase text: String) -> DIDKeyError {
    guard text.utf8.first == UInt8(ascii: "z") else { return .otherMultibase }
    guard let bytes = Base58.decode(text.utf8.dropFirst()) else { return .notBase58 }
    guard bytes.starts(with: multicodec) else { return .otherMulticodec }
    return .keyLength(bytes.count - multicodec.count)
  }

  /// The identifier of a 32-byte key, with `did:key:`.
  public static func encode(_ key: [UInt8]) -> String { "\(prefix)z\(Base58.encode(multicodec + key))" }
}

/// Why a text is no Ed25519 `did:key`.
public enum DIDKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  case notADID
  case otherMethod
  case otherMultibase
  case notBase58
  case otherMulticodec
  case keyLength(Int)

  public var description: String {
    switch self {
    case .notADID: "it does not begin with \"did:\""
    case .otherMethod: "its DID method is not \"key\""
    case .otherMultibase: "its multibase prefix is not \"z\""
    case .notBase58: "it is not base58 or too long"
    case .otherMulticodec: "it is not an Ed25519 key (multicodec prefix ED 01)"
    case .keyLength(let count): "its key is \(count) bytes long instead of 32"
    }
  }
}
