/// One registration without its token: what lists show.
public struct ClientSummary: Equatable, Sendable {
  public var key: ClientKey
  public var kind: TokenKind
  public var alwaysRaw: Bool
  /// Registered with a valid client auth JWT at least once.
  public var authenticated: Bool
  /// Milliseconds since the epoch.
  public var createdAt: UInt64
  /// The last registration, with new values or the same; milliseconds since the epoch.
  public var updatedAt: UInt64
  /// Changes when the row is made anew or revived. Part of a delivered mark's key, so that marks of an
  /// earlier life don't count.
  public var generation: UInt64
  /// The keyed hash of app, kind and token: names a token without telling it. 16 bytes.
  public var tokenIndex: [UInt8]
  /// Set: the token is dead and nothing must be sent.
  public var tombstone: Tombstone?
}

/// One registration with its opened device token.
public struct ClientRecord: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
  public var summary: ClientSummary
  public var token: String

  /// Without the token: records end up in logs.
  public var description: String {
    "\(summary.kind.name) registration, token of \(token.utf8.count) bytes"
  }

  public var customMirror: Mirror {
    Mirror(self, children: ["summary": summary])
  }
}
