/// A registration as its bytes in the table, but for the sealed token at their end. Integers are big-endian.
///
///     1  layout version (2) times 16, plus the token kind
///     1  flags                               16  token index
///     6  created, ms since the epoch         with flag 4: 6 time (ms), 1 length of the reason, the reason
///     6  updated, ms since the epoch         the sealed token
///     6  generation
struct RegistrationRow {
  var kind: TokenKind
  var alwaysRaw: Bool
  var authenticated: Bool
  var createdAt: UInt64
  var updatedAt: UInt64
  var generation: UInt64
  var tokenIndex: [UInt8]
  var tombstone: Tombstone?

  private static let layoutVersion: UInt8 = 2
  /// Later times, which only an import can bring, are stored as this one: it is in the year 10889.
  static let greatestTime: UInt64 = (1 << 48) - 1
  private static let maximumReasonBytes = 64

  private enum Flag {
    static let alwaysRaw: UInt8 = 1
    static let authenticated: UInt8 = 2
    static let tombstone: UInt8 = 4
  }

  func encode(sealedToken: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(20 + tokenIndex.count + sealedToken.count + (tombstone == nil ? 0 : 32))
    let flags =
      (alwaysRaw ? Flag.alwaysRaw : 0) | (authenticated ? Flag.authenticated : 0)
      | (tombstone == nil ? 0 : Flag.tombstone)
    out.append(contentsOf: [Self.layoutVersion << 4 | kind.rawValue, flags])
    out.append(bigEndian48: createdAt)
    out.append(bigEndian48: updatedAt)
    out.append(bigEndian48: generation)
    out.append(contentsOf: tokenIndex)
    if let tombstone {
      let reason = tombstone.reason.utf8.prefix(Self.maximumReasonBytes)
      out.append(bigEndian48: tombstone.time)
      out.append(UInt8(truncatingIfNeeded: reason.count))
      out.append(contentsOf: reason)
    }
    out.append(contentsOf: sealedToken)
    return out
  }

  /// Whether stored bytes pass what of `filter` their head decides, without decoding them. Bytes that are no row
  /// pass, so that whoever decodes them notices.
  static func passes(_ bytes: Span<UInt8>, _ filter: RegistrationFilter) -> Bool {
    guard bytes.count > 1, bytes[0] >> 4 == layoutVersion else { return true }
    if let kind = filter.kind, bytes[0] & 15 != kind.rawValue { return false }
    let isTombstoned = bytes[1] & Flag.tombstone != 0
    switch filter.state {
    case .active: return !isTombstoned
    case .tombstoned: return isTombstoned
    case nil: return true
    }
  }

  /// Takes the row off the front of its bytes, so that the sealed token is left; nil when they are no row of this
  /// layout.
  init?(takenFrom bytes: inout Span<UInt8>) {
    guard let head = bytes.takeByte(), head >> 4 == Self.layoutVersion,
      let kind = TokenKind(rawValue: head & 15),
      let flags = bytes.takeByte(), let createdAt = bytes.takeUInt48(), let updatedAt = bytes.takeUInt48(),
      let generation = bytes.takeUInt48(), let tokenIndex = bytes.takeBytes(TokenIndex.length)
    else { return nil }
    self.kind = kind
    alwaysRaw = flags & Flag.alwaysRaw != 0
    authenticated = flags & Flag.authenticated != 0
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.generation = generation
    self.tokenIndex = tokenIndex
    if flags & Flag.tombstone != 0 {
      guard let time = bytes.takeUInt48(), let length = bytes.takeByte(),
        let reason = bytes.takeText(Int(length))
      else { return nil }
      tombstone = Tombstone(reason: reason, time: time)
    }
  }

  /// The row alone.
  init?(_ bytes: Span<UInt8>) {
    var bytes = bytes
    self.init(takenFrom: &bytes)
  }

  init(
    kind: TokenKind, alwaysRaw: Bool, authenticated: Bool, createdAt: UInt64, updatedAt: UInt64,
    generation: UInt64, tokenIndex: [UInt8]
  ) {
    self.kind = kind
    self.alwaysRaw = alwaysRaw
    self.authenticated = authenticated
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.generation = generation
    self.tokenIndex = tokenIndex
  }

  func summary(key: ClientKey) -> ClientSummary {
    ClientSummary(
      key: key, kind: kind, alwaysRaw: alwaysRaw, authenticated: authenticated, createdAt: createdAt,
      updatedAt: updatedAt, generation: generation, tokenIndex: tokenIndex, tombstone: tombstone)
  }
}
