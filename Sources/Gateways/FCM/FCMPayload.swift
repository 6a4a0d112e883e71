import JSON

/// A notification as FCM wants it: the keys of the older push server, which the apps' SDKs read.
public enum FCMPayload {
  /// Bytes of all keys and values that FCM takes (Firebase, "About FCM messages").
  public static let maximumByteCount = 4096

  /// A message without its device: `body(_:token:id:lifetime:)` adds that.
  public struct Message: Equatable, Sendable {
    /// In order. FCM refuses values that are no strings.
    public var data: [Entry]
    /// What the system shows by itself; nil when the app does.
    public var notification: Alert?

    /// What FCM counts against its limit.
    var byteCount: Int {
      let entries = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      guard let notification else { return entries }
      return entries + "title".utf8.count + notification.title.utf8.count + "body".utf8.count
        + notification.body.utf8.count
    }
  }

  /// One key and value of a message's data.
  public struct Entry: Equatable, Sendable {
    public var key: String
    public var value: String
  }

  /// A visible notification.
  public struct Alert: Equatable, Sendable {
    public var title: String
    public var body: String
  }

  /// What a device shows for a message that was too large to send whole: without its message the SDK ignores
  /// the data, so there must be something for the system to show.
  static let trimmedAlert = Alert(title: "You have new notifications", body: "Open to view")

  /// The message for `notification`.
  ///
  /// Trimmed, the message or blob is left out, long plain text is cut, and there is always a visible alert.
  public static func build(_ notification: Notification, oversize: OversizePolicy) -> GatewayPayload<Message>
  {
    let whole = message(notification)
    if whole.byteCount <= maximumByteCount { return .content(whole, trimmed: false) }
    guard oversize == .trim else { return .tooLarge }
    let trimmed = trimmedMessage(notification)
    return trimmed.byteCount <= maximumByteCount ? .content(trimmed, trimmed: true) : .tooLarge
  }

  private static func message(_ notification: Notification) -> Message {
    switch notification {
    case .raw(let topic, let tag, let message):
      Message(data: [
        Entry(key: "topic", value: topic), Entry(key: "tag", value: String(tag)),
        Entry(key: "message", value: message),
      ])
    case .legacyEncrypted(let topic, let flags, let blob):
      Message(data: legacyData(topic, flags, blob))
    case .legacyPlain(let topic, let flags, let blob, let title, let body):
      Message(data: legacyData(topic, flags, blob), notification: Alert(title: title, body: body))
    }
  }

  private static func trimmedMessage(_ notification: Notification) -> Message {
    var trimmed = message(notification)
    trimmed.data.removeAll { $0.key == "message" || $0.key == "blob" }
    if let alert = trimmed.notification {
      trimmed.notification = Alert(
        title: NotificationText.cut(alert.title, to: NotificationText.trimmedTitleLength),
        body: NotificationText.cut(alert.body, to: NotificationText.trimmedBodyLength))
    } else {
      trimmed.notification = trimmedAlert
    }
    return trimmed
  }

  private static func legacyData(_ topic: String, _ flags: UInt32, _ blob: String) -> [Entry] {
    [
      Entry(key: "topic", value: topic), Entry(key: "flags", value: String(flags)),
      Entry(key: "blob", value: blob),
    ]
  }

  /// The request body that sends `message` to the device with `token`.
  ///
  /// - Parameters:
  ///   - id: the push's ID, by which a repeated alert replaces the one on the screen.
  ///   - lifetime: how long FCM may store the message.
  public static func body(
    _ message: Message, token: String, id: String, lifetime: NotificationLifetime
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(message.byteCount + token.utf8.count + 448)
    var writer = JSONWriter(appendingTo: consume bytes)
    writer.beginObject()
    writer.key("message")
    writer.beginObject()
    writer.key("data")
    writer.beginObject()
    for entry in message.data { writer.member(entry.key, entry.value) }
    writer.endObject()
    if let alert = message.notification {
      writer.key("notification")
      writer.beginObject()
      writer.member("title", alert.title)
      writer.member("body", alert.body)
      writer.endObject()
    }
    writer.key("android")
    writer.beginObject()
    writer.member("priority", "HIGH")
    writer.member("ttl", "\(min(lifetime.seconds, maximumTTL))s")
    // No `collapse_key`: FCM stores messages of four keys a device at most, and each message would be one.
    // An alert's tag folds without such a limit; what the app shows, it can fold itself.
    if message.notification != nil {
      writer.key("notification")
      writer.beginObject()
      writer.member("tag", id)
      writer.endObject()
    }
    writer.endObject()
    writeAppleOptions(id: id, lifetime, to: &writer)
    writer.member("token", token)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// Seconds that FCM stores a message at most.
  static let maximumTTL: UInt64 = 2_419_200

  /// For the app's iOS half when it registered through FCM.
  private static func writeAppleOptions(
    id: String, _ lifetime: NotificationLifetime, to writer: inout JSONWriter
  ) {
    writer.key("apns")
    writer.beginObject()
    writer.key("headers")
    writer.beginObject()
    writer.member("apns-collapse-id", id)
    writer.member("apns-expiration", String(lifetime.expiration))
    writer.endObject()
    writer.key("payload")
    writer.beginObject()
    writer.key("aps")
    writer.beginObject()
    writer.member("content-available", 1)
    writer.endObject()
    writer.endObject()
    writer.endObject()
  }
}
