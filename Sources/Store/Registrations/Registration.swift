/// What a client asks to be stored.
public struct Registration: Sendable {
  public var key: ClientKey
  public var kind: TokenKind
  /// The device token as the gateway wants it.
  public var token: String
  public var alwaysRaw: Bool
  /// The request carried a valid client auth JWT. Sticks to the row: a later registration without one keeps it.
  public var authenticated: Bool

  public init(
    key: ClientKey, kind: TokenKind, token: String, alwaysRaw: Bool = false, authenticated: Bool = false
  ) {
    self.key = key
    self.kind = kind
    self.token = token
    self.alwaysRaw = alwaysRaw
    self.authenticated = authenticated
  }

  /// Bytes a device token may have; APNs and FCM tokens are far shorter.
  public static let maximumTokenBytes = 4096

  /// What keeps a text from being a device token, to follow the word `token`; nil when it may be one.
  public static func problem(ofToken token: String) -> String? {
    if token.isEmpty { return "is empty" }
    if token.utf8.count > maximumTokenBytes { return "is longer than \(maximumTokenBytes) bytes" }
    if !token.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) {
      return "contains white space or control characters"
    }
    return nil
  }
}

/// What became of a registration.
public struct RegistrationOutcome: Equatable, Sendable {
  public enum Change: Sendable {
    /// The client was unknown.
    case created
    /// The client was known: values replaced or refreshed.
    case updated
    /// The client's row was a tombstone.
    case revived
  }

  public var change: Change
  /// The client that held this token before and is registered no more.
  public var displaced: ClientKey?
}

/// What became of a dead-token report.
public enum TombstoneOutcome: Equatable, Sendable {
  case tombstoned
  /// It was a tombstone before.
  case alreadyTombstoned
  /// The client has another token by now, or registered after the gateway's timestamp.
  case superseded
  case notRegistered
}

/// Why and when a token was found dead.
public struct Tombstone: Equatable, Sendable {
  /// The gateway's word, such as `Unregistered`; cut after 64 bytes.
  public var reason: String
  /// Milliseconds since the epoch.
  public var time: UInt64

  public init(reason: String, time: UInt64) {
    self.reason = reason
    self.time = time
  }
}
