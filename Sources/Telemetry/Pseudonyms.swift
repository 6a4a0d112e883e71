import Bytes

/// Stands in a log for what must not be there: client IDs and device tokens. The same identifier has the same
/// pseudonym everywhere, so that one client can be followed through the log; without the key nobody can tell
/// whose it is, not even by trying identifiers. A beginning of the identifier would be neither: beginnings
/// collide, and leak.
public struct Pseudonyms: Sendable {
  private let hash: SipHash

  /// - Parameter key: 16 bytes.
  public init(key: [UInt8]) {
    hash = SipHash(key: key)
  }

  /// For the life of this process only.
  public static func random() -> Pseudonyms {
    Pseudonyms(key: (0..<SipHash.keyByteCount).map { _ in UInt8.random(in: 0...255) })
  }

  /// `#` and 16 hex digits.
  public func pseudonym(of identifier: String) -> String {
    let value = hash.hash(Array(identifier.utf8))
    return "#" + Hex.encode(withUnsafeBytes(of: value.bigEndian) { Array($0) })
  }

  /// The same for every form of a client ID.
  public func pseudonym(ofClientID id: String) -> String {
    let scheme = "did:key:"
    return pseudonym(of: id.hasPrefix(scheme) ? String(id.dropFirst(scheme.count)) : id)
  }
}
