import JSON

/// A notification as APNs wants it: the keys, and their order, of the older push server, since the apps'
/// notification extensions were written against that.
public enum APNsPayload {
  /// Bytes that APNs takes (Apple, "Sending notification requests to APNs").
  public static let maximumByteCount = 4096

  /// The JSON body for `notification`.
  ///
  /// Trimmed, the message or blob is left out and long plain text is cut.
  public static func build(
    _ notification: Notification, oversize: OversizePolicy
  ) -> GatewayPayload<[UInt8]> {
    let whole = encode(notification, trimmed: false)
    if whole.count <= maximumByteCount { return .content(whole, trimmed: false) }
    guard oversize == .trim else { return .tooLarge }
    let trimmed = encode(notification, trimmed: true)
    return trimmed.count <= maximumByteCount ? .content(trimmed, trimmed: true) : .tooLarge
  }

  private static func encode(_ notification: Notification, trimmed: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(trimmed ? 512 : notification.textByteCount + 256)
    var writer = JSONWriter(appendingTo: consume bytes)
    writer.beginObject()
    switch notification {
    case .raw(let topic, let tag, let message):
      writeAPS(title: NotificationText.genericTitle, body: nil, to: &writer)
      if !trimmed { writer.member("message", message) }
      // A number: the sample extension reads it as one.
      writer.member("tag", tag)
      writer.member("topic", topic)
    case .legacyEncrypted(let topic, _, let blob):
      writeAPS(title: NotificationText.genericTitle, body: nil, to: &writer)
      if !trimmed { writer.member("blob", blob) }
      writer.member("topic", topic)
    case .legacyPlain(let topic, _, _, let title, let body):
      if trimmed {
        writeAPS(
          title: NotificationText.cut(title, to: NotificationText.trimmedTitleLength),
          body: NotificationText.cut(body, to: NotificationText.trimmedBodyLength), to: &writer)
      } else {
        writeAPS(title: title, body: body, to: &writer)
      }
      writer.member("topic", topic)
    }
    writer.endObject()
    return writer.bytes
  }

  private static func writeAPS(title: String, body: String?, to writer: inout JSONWriter) {
    writer.key("aps")
    writer.beginObject()
    writer.key("alert")
    writer.beginObject()
    writer.member("title", title)
    if let body { writer.member("body", body) }
    writer.endObject()
    // Without an alert and `mutable-content` the app's notification extension does not run.
    writer.member("content-available", 1)
    writer.member("mutable-content", 1)
    writer.endObject()
  }
}

extension Notification {
  /// Bytes of all its texts, a measure of its payload.
  fileprivate var textByteCount: Int {
    switch self {
    case .raw(let topic, _, let message): topic.utf8.count + message.utf8.count
    case .legacyEncrypted(let topic, _, let blob): topic.utf8.count + blob.utf8.count
    case .legacyPlain(let topic, _, _, let title, let body):
      topic.utf8.count + title.utf8.count + body.utf8.count
    }
  }
}
