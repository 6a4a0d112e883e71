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
  public func pseudonym(of identifier: String) -> String { Pseudonym(hash: hash(identifier)).description }

  /// The same for every form of a client ID.
  public func pseudonym(ofClientID id: String) -> String {
    let scheme = "did:key:"
    return pseudonym(of: id.hasPrefix(scheme) ? String(id.dropFirst(scheme.count)) : id)
  }

  /// Whether `pseudonym` is that of a client ID without `did:key:`. The only way back: to try those that are known.
  public func isPseudonym(_ pseudonym: Pseudonym, ofBareClientID id: String) -> Bool {
    hash(id) == pseudonym.hash
  }

  private func hash(_ identifier: String) -> UInt64 { hash.hash(Array(identifier.utf8)) }
}

/// A pseudonym as somebody copied it out of a log.
public struct Pseudonym: Equatable, Sendable, CustomStringConvertible {
  fileprivate let hash: UInt64

  fileprivate init(hash: UInt64) {
    self.hash = hash
  }

  /// From `#` and 16 hex digits; nil when `text` is anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 17, text.hasPrefix("#"), let bytes = Hex.decode(String(text.dropFirst())) else {
      return nil
    }
    hash = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// `#` and 16 hex digits.
  public var description: String {
    "#" + Hex.encode(withUnsafeBytes(of: hash.bigEndian) { Array($0) })
  }
}
