import Bytes
import Crypto
import JSON
import Relay

/// The relay's side: makes push bodies, signs them, and posts them as the relay does.
public struct MockRelay: Sendable {
  private let key: Ed25519PrivateKey

  /// A relay with `key`, by default a new one.
  public init(key: Ed25519PrivateKey? = nil) throws(CryptoError) {
    if let key {
      self.key = key
    } else {
      self.key = try Ed25519PrivateKey.generate()
    }
  }

  /// What goes into `relay.public_key`.
  public var publicKeyHex: String { Hex.encode(key.publicKey.rawBytes) }

  /// The header fields that sign `body` at `timestamp`, seconds since the epoch.
  public func signatureFields(
    _ body: [UInt8], timestamp: UInt64
  ) throws(CryptoError) -> [(name: String, value: String)] {
    let text = String(timestamp)
    let signature = try key.sign(RelayVerifier.signedBytes(timestamp: text, body: body.span))
    return [
      (RelayHeader.timestamp, text), (RelayHeader.signature, Hex.encode(signature)),
    ]
  }

  /// All fields of a signed push.
  public func pushFields(
    _ body: [UInt8], timestamp: UInt64
  ) throws(CryptoError) -> [(name: String, value: String)] {
    [("content-type", "application/json")] + (try signatureFields(body, timestamp: timestamp))
  }

  /// The body of a raw push.
  public static func rawBody(topic: String, tag: UInt32, message: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("topic", topic)
    writer.member("tag", tag)
    writer.member("message", message)
    writer.endObject()
    return writer.bytes
  }

  /// The body of a legacy push.
  public static func legacyBody(id: String, topic: String, flags: UInt32, blob: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("id", id)
    writer.key("payload")
    writer.beginObject()
    writer.member("topic", topic)
    writer.member("flags", flags)
    writer.member("blob", blob)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// The blob of a legacy push in clear text.
  public static func plainBlob(title: String, body: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("title", title)
    writer.member("body", body)
    writer.endObject()
    return Base64.encode(writer.bytes)
  }
}
