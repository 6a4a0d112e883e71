import Bytes

/// What may be shown of identifiers. Whoever reads a log must be able to follow one client through it, but
/// must not be able to push to it.
public enum Redaction {
  /// The first 12 characters of a client ID, without `did:key:`, and an ellipsis when there are more.
  public static func shortClientID(_ id: String) -> String {
    let scheme = "did:key:"
    let bare = id.hasPrefix(scheme) ? id.dropFirst(scheme.count) : id[...]
    let start = bare.unicodeScalars.prefix(12)
    return start.endIndex == bare.endIndex ? String(start) : String(start) + "…"
  }

  /// The first 6 bytes of a device token's keyed hash, in hex. Never give it the token: the beginnings of
  /// FCM tokens collide, and a token is a credential.
  public static func shortHash(_ hash: some Sequence<UInt8>) -> String {
    "#" + Hex.encode(hash.prefix(6))
  }
}
