import Bytes
import Crypto

/// What tells one message from another for the same client: two pushes with the same ID are one message.
/// Equal when the bytes are equal.
public struct MessageID: Hashable, Sendable {
  /// Longest ID that is kept as it came, in bytes; the relay uses a UUID of 36.
  public static let maximumVerbatimByteCount = 64

  /// The ID as it is stored, at most 71 bytes.
  public let text: String

  /// The ID of a raw push: lower-case hex of the SHA-256 of the message's UTF-8 bytes, as the relay
  /// client library computes it.
  public init(ofRawMessage message: String) {
    var message = message
    text = message.withUTF8 { Hex.encode(SHA256.hash(Span(_unsafeElements: $0))) }
  }

  /// The ID of a legacy push: its `id` as it is, or a hash when that is longer than we store. The hash
  /// is marked and longer than any ID kept as it came, so that the two cannot meet.
  public init(ofLegacyID id: String) {
    guard id.utf8.count > Self.maximumVerbatimByteCount else {
      text = id
      return
    }
    text = "sha256:\(Hex.encode(SHA256.hash(Array(id.utf8))))"
  }

  // Not `String`'s equality, which takes canonically equivalent texts for the same.
  public static func == (left: MessageID, right: MessageID) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
