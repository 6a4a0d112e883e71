/// Names one delivery: a cryptographic digest of 32 bytes that the caller makes of app, client ID, the
/// registration's generation and message ID. A digest, since a collision would lose a push and since the
/// parts together may exceed LMDB's key limit.
public struct DeliveryKey: Hashable, Sendable {
  public static let length = 32
  let bytes: [UInt8]

  /// nil unless there are exactly 32 bytes.
  public init?(digest: [UInt8]) {
    guard digest.count == Self.length else { return nil }
    bytes = digest
  }
}
