/// What a wallet is told, in the three forms the relay sends.
public enum Notification: Equatable, Sendable {
  /// The relay message as published, for the app to decrypt.
  case raw(topic: String, tag: UInt32, message: String)
  /// The older form with an encrypted blob.
  case legacyEncrypted(topic: String, flags: UInt32, blob: String)
  /// The older form in clear text; `title` and `body` were decoded from `blob`.
  case legacyPlain(topic: String, flags: UInt32, blob: String, title: String, body: String)
}

/// What to do with a notification that is larger than the gateway takes.
public enum OversizePolicy: String, Sendable, CaseIterable {
  /// Send it without its message, so that the user still sees an alert.
  case trim
  /// Refuse it.
  case reject
}

/// A notification as a gateway wants it.
public enum GatewayPayload<Content: Equatable & Sendable>: Equatable, Sendable {
  case content(Content, trimmed: Bool)
  /// Too large, even trimmed when that was allowed.
  case tooLarge
}

/// The words and limits that both gateways share.
enum NotificationText {
  /// What the older push server shows for a message that only the app can read; kept for compatibility.
  static let genericTitle = "You have new notifications. Open to view"
  /// Characters of a title and a body that a trimmed notification keeps. Even if each takes the six bytes of
  /// an escape, both together leave room for everything else.
  static let trimmedTitleLength = 100
  static let trimmedBodyLength = 200

  /// `text`, cut to `length` Unicode scalars and marked as cut.
  static func cut(_ text: String, to length: Int) -> String {
    let start = text.unicodeScalars.prefix(length)
    return start.endIndex == text.endIndex ? text : String(start) + "…"
  }
}
