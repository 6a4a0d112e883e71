import Bytes
import Crypto
import EventLoop

/// One notification for one device.
public struct GatewayPush: Sendable {
  /// The same for every try, so that the gateway can fold a repeated one.
  public var id: PushID
  /// The device token as the app registered it. A credential: never logged.
  public var deviceToken: String
  public var notification: Notification
  /// When the gateway should give up storing it, in seconds since the epoch; 0 = try once, don't store.
  public var expiration: UInt64
  /// When the caller stops waiting.
  public var deadline: MonotonicTime

  public init(
    id: PushID, deviceToken: String, notification: Notification, expiration: UInt64, deadline: MonotonicTime
  ) {
    self.id = id
    self.deviceToken = deviceToken
    self.notification = notification
    self.expiration = expiration
    self.deadline = deadline
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
    var hex = Hex.encode(bytes)[...]
    return [8, 4, 4, 4, 12].map { length in
      defer { hex.removeFirst(length) }
      return hex.prefix(length)
    }.joined(separator: "-")
  }
}
