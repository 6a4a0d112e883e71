import Bytes
import JSON

/// The raw family of a push: the relay message as it was published.
public struct RawPush: Equatable, Sendable {
  public let topic: String
  public let tag: UInt32
  /// Opaque; the wallet decrypts it.
  public let message: String

  public var id: MessageID { MessageID(ofRawMessage: message) }
}

/// The legacy family of a push.
public struct LegacyPush: Equatable, Sendable {
  /// Bits of `flags` (WalletConnect specifications, push server).
  public static let encryptedFlag: UInt32 = 1

  public let id: MessageID
  public let topic: String
  public let flags: UInt32
  /// The relay message when encrypted, otherwise base64 of a JSON object with `title` and `body`.
  public let blob: String

  public var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
}

/// What one push delivers.
public enum PushMessage: Equatable, Sendable {
  case raw(RawPush)
  case legacyEncrypted(LegacyPush)
  /// `title` and `body` come from the blob.
  case legacyPlain(LegacyPush, title: String, body: String)

  public var id: MessageID {
    switch self {
    case .raw(let push): push.id
    case .legacyEncrypted(let push), .legacyPlain(let push, _, _): push.id
    }
  }

  /// Decodes the blob of a legacy push in clear text.
  static func legacy(_ push: LegacyPush) throws(PushBodyError) -> PushMessage {
    guard !push.isEncrypted else { return .legacyEncrypted(push) }
    guard let bytes = Base64.decode(push.blob.utf8) else {
      throw .undecodableBlob("is not padded base64, which flags without bit 0 (encrypted) promise")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw .undecodableBlob("decodes to \(error)")
    }
    guard let title = value["title"]?.stringValue, let body = value["body"]?.stringValue else {
      throw .undecodableBlob("decodes to JSON without the strings title and body")
    }
    return .legacyPlain(push, title: title, body: body)
  }
}
