import Bytes
import Crypto

/// Names of the headers in which the relay signs a push (WalletConnect specifications, push server
/// authentication).
public enum RelayHeader {
  /// 64 bytes of Ed25519 signature in hex.
  public static let signature = "X-Ed25519-Signature"
  /// Text that is signed together with the body.
  public static let timestamp = "X-Ed25519-Timestamp"
}

/// Tells the relay's pushes from everyone else's.
public struct RelayVerifier: Sendable {
  /// Longest timestamp header, in bytes.
  public static let maximumTimestampByteCount = 64

  private let keys: [Ed25519PublicKey]
  private let maximumAge: Int64

  /// Trusts any of `keys`, several while a key is being replaced. `maximumAge` is how many seconds a
  /// timestamp may differ from our clock in either direction; 0 lets any pass, as the Rust server does.
  public init(keys: [Ed25519PublicKey], maximumAge: Int64) {
    self.keys = keys
    self.maximumAge = max(0, maximumAge)
  }

  /// Verifies the header texts, as received, against `body` at `now` (seconds since the epoch).
  ///
  /// Returns what the timestamp says; one that is no number passes when it is signed. The age is looked
  /// at only after the signature, so that a stranger learns nothing about our clock.
  public func verify(
    signatureHeader: String?, timestampHeader: String?, body: Span<UInt8>, now: Int64
  ) throws(RelaySignatureError) -> RelayTimestamp {
    guard let signatureHeader else {
      throw timestampHeader == nil ? .missingSignatureAndTimestamp : .missingSignature
    }
    guard let timestampHeader else { throw .missingTimestamp }
    let timestampByteCount = timestampHeader.utf8.count
    guard timestampByteCount <= Self.maximumTimestampByteCount else {
      throw .timestampTooLong(byteCount: timestampByteCount)
    }
    guard let signature = Hex.decode(signatureHeader) else { throw .signatureNotHex }
    guard signature.count == Ed25519PublicKey.signatureByteCount else {
      throw .signatureLength(byteCount: signature.count)
    }
    let message = Self.signedBytes(timestamp: timestampHeader, body: body)
    guard keys.contains(where: { $0.verify(signature: signature.span, message: message.span) }) else {
      throw .wrongSignature
    }
    let timestamp = RelayTimestamp(timestampHeader)
    if maximumAge > 0, let age = timestamp.age(at: now), age.magnitude > maximumAge.magnitude {
      throw .outsideWindow(age: age, limit: maximumAge)
    }
    return timestamp
  }

  /// What the relay signs: the timestamp, the body's length in bytes and the body, joined by dots.
  public static func signedBytes(timestamp: String, body: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    // A length has at most 20 digits.
    bytes.reserveCapacity(timestamp.utf8.count + body.count + 22)
    bytes.append(contentsOf: timestamp.utf8)
    bytes.append(UInt8(ascii: "."))
    ASCIIDecimal.append(UInt64(body.count), to: &bytes)
    bytes.append(UInt8(ascii: "."))
    body.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    return bytes
  }
}
