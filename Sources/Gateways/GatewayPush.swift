import Crypto
import EventLoop

/// One notification for one device.
public struct GatewayPush: Sendable {
  /// The same for every try, so that the gateway can fold a repeated one.
  public var id: PushID
  /// The device token as the app registered it. A credential: never logged.
  public var deviceToken: String
  public var notification: Notification
  /// How long the gateway should try.
  public var lifetime: NotificationLifetime
  /// When the caller stops waiting.
  public var deadline: MonotonicTime

  public init(
    id: PushID, deviceToken: String, notification: Notification, lifetime: NotificationLifetime,
    deadline: MonotonicTime
  ) {
    self.id = id
    self.deviceToken = deviceToken
    self.notification = notification
    self.lifetime = lifetime
    self.deadline = deadline
  }
}

/// How long a notification is worth showing to a device that is away. Fixed when the push comes in, so that
/// every try sends the same bytes.
public struct NotificationLifetime: Equatable, Sendable {
  /// Seconds; 0 = try once, don't store.
  public let seconds: UInt64
  /// The end, in seconds since the epoch; 0 = try once, don't store.
  public let expiration: UInt64

  /// - Parameter start: seconds since the epoch.
  public init(_ seconds: UInt64, from start: UInt64) {
    self.seconds = seconds
    let (end, overflow) = start.addingReportingOverflow(seconds)
    expiration = seconds == 0 ? 0 : overflow ? .max : end
  }
}

/// 16 bytes that name a push towards a gateway, written as a UUID (RFC 9562).
public struct PushID: Hashable, Sendable, CustomStringConvertible {
  public let bytes: [UInt8]

  /// Nil unless `bytes` are 16.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The ID of a message for a client: always the same for the same two, another one for another client, since
  /// one message may be for several. A version 8 UUID (RFC 9562 section 5.8) from their SHA-256.
  public init(messageID: String, clientID: String) {
    var hash = SHA256()
    hash.update(Array(messageID.utf8))
    // Neither may contain a NUL, so the pair can't be split in two ways.
    hash.update([0])
    hash.update(Array(clientID.utf8))
    var bytes = Array(hash.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// The canonical form, lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { text in
      var end = 0
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          text[end] = UInt8(ascii: "-")
          end += 1
        }
        text[end] = Self.digit(byte >> 4)
        text[end + 1] = Self.digit(byte & 0x0F)
        end += 2
      }
      return end
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
