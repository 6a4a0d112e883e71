import Bytes
import HTTP

/// The header fields of a push that APNs reads (Apple, "Sending notification requests to APNs").
struct APNsHeaders {
  /// Bytes that a collapse ID may have.
  static let maximumCollapseIDLength = 64
  private static let pushTypes: Set<String> = [
    "alert", "background", "controls", "location", "voip", "complication", "fileprovider", "mdm",
    "liveactivity", "pushtotalk", "widgets",
  ]

  private(set) var authorization: String?
  private(set) var topic: String?
  private(set) var pushType: String?
  private(set) var priority: String?
  private(set) var expiration: String?
  private(set) var id: String?
  private(set) var collapseID: String?
  /// A field that may stand once stands twice.
  private(set) var hasDuplicates = false

  init(_ fields: HTTPFields) {
    for field in fields {
      let isSecond =
        switch field.name {
        case "authorization": Self.take(field, into: &authorization)
        case "apns-topic": Self.take(field, into: &topic)
        case "apns-push-type": Self.take(field, into: &pushType)
        case "apns-priority": Self.take(field, into: &priority)
        case "apns-expiration": Self.take(field, into: &expiration)
        case "apns-id": Self.take(field, into: &id)
        case "apns-collapse-id": Self.take(field, into: &collapseID)
        default: false
        }
      if isSecond { hasDuplicates = true }
    }
  }

  /// Stores the field's value; true when there was one before.
  private static func take(_ field: HTTPField, into value: inout String?) -> Bool {
    defer { value = field.value }
    return value != nil
  }

  /// What is wrong with the fields but for `authorization`; nil when nothing is.
  func fault(allowedTopic: String) -> MockGateway.APNsReason? {
    guard let topic, !topic.isEmpty else { return .missingTopic }
    if topic != allowedTopic { return Self.isBundleID(topic) ? .topicDisallowed : .badTopic }
    if let pushType, !Self.pushTypes.contains(pushType) { return .invalidPushType }
    switch priority {
    case nil, "5", "1": break
    // A push that only wakes the app must not be immediate.
    case "10" where pushType != "background": break
    default: return .badPriority
    }
    if let expiration, ASCIIDecimal.parse(expiration.utf8) == nil { return .badExpirationDate }
    if let id, !APNsMessageID.isCanonical(id) { return .badMessageID }
    if let collapseID, collapseID.utf8.count > Self.maximumCollapseIDLength { return .badCollapseID }
    return nil
  }

  private static func isBundleID(_ text: String) -> Bool {
    text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

/// The `apns-id`: a UUID in canonical form, lower case (RFC 9562 section 4).
enum APNsMessageID {
  static func isCanonical(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    var index = 0
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"): guard isDash(index) else { return false }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
        if isDash(index) { return false }
      default: return false
      }
      index += 1
    }
    return true
  }

  private static func isDash(_ index: Int) -> Bool {
    index == 8 || index == 13 || index == 18 || index == 23
  }

  /// A new one, for a request that brings none.
  static func random() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text: [UInt8] = []
    for byte in Hex.encode(bytes).utf8 {
      if isDash(text.count) { text.append(UInt8(ascii: "-")) }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
