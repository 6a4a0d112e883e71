/// A registration as its bytes in the table. Integers are big-endian.
///
///     1  layout version (1)          8  updated, ms since the epoch
///     1  token kind                  8  generation
///     1  flags                      32  token index
///     1  zero                        2  length of the sealed token, then the token
///     8  created, ms since epoch     with flag 4: 8 time (ms), 1 length of the reason, the reason
struct RegistrationRow {
  var kind: TokenKind
  var alwaysRaw: Bool
  var authenticated: Bool
  var createdAt: UInt64
  var updatedAt: UInt64
  var generation: UInt64
  var tokenIndex: [UInt8]
  var sealedToken: [UInt8]
  var tombstone: Tombstone?

  private static let layoutVersion: UInt8 = 1
  private static let maximumReasonBytes = 64

  private enum Flag {
    static let alwaysRaw: UInt8 = 1
    static let authenticated: UInt8 = 2
    static let tombstone: UInt8 = 4
  }

  func encode() -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(62 + sealedToken.count + (tombstone == nil ? 0 : 32))
    let flags =
      (alwaysRaw ? Flag.alwaysRaw : 0) | (authenticated ? Flag.authenticated : 0)
      | (tombstone == nil ? 0 : Flag.tombstone)
    out.append(contentsOf: [Self.layoutVersion, kind.rawValue, flags, 0])
    out.append(bigEndian: createdAt)
    out.append(bigEndian: updatedAt)
    out.append(bigEndian: generation)
    out.append(contentsOf: tokenIndex)
    out.append(bigEndian: UInt16(truncatingIfNeeded: sealedToken.count))
    out.append(contentsOf: sealedToken)
    if let tombstone {
      let reason = tombstone.reason.utf8.prefix(Self.maximumReasonBytes)
      out.append(bigEndian: tombstone.time)
      out.append(UInt8(truncatingIfNeeded: reason.count))
      out.append(contentsOf: reason)
    }
    return out
  }

  /// Whether stored bytes pass what of `filter` their head decides, without decoding them. Bytes that are no row
  /// pass, so that whoever decodes them notices.
  static func passes(_ bytes: Span<UInt8>, _ filter: RegistrationFilter) -> Bool {
    guard bytes.count > 3, bytes[0] == layoutVersion else { return true }
    if let kind = filter.kind, bytes[1] != kind.rawValue { return false }
    let isTombstoned = bytes[2] & Flag.tombstone != 0
    switch filter.state {
    case .active: return !isTombstoned
    case .tombstoned: return isTombstoned
    case nil: return true
    }
  }

  /// nil when the bytes are no row of a known layout.
  init?(_ bytes: Span<UInt8>) {
    var reader = RowReader(bytes)
    guard reader.byte() == Self.layoutVersion, let kind = reader.byte().flatMap(TokenKind.init(rawValue:)),
      let flags = reader.byte(), reader.byte() != nil, let createdAt = reader.uint64(),
      let updatedAt = reader.uint64(), let generation = reader.uint64(), let tokenIndex = reader.bytes(32),
      let sealedLength = reader.uint16(), let sealedToken = reader.bytes(Int(sealedLength))
    else { return nil }
    self.kind = kind
    alwaysRaw = flags & Flag.alwaysRaw != 0
    authenticated = flags & Flag.authenticated != 0
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.generation = generation
    self.tokenIndex = tokenIndex
    self.sealedToken = sealedToken
    guard flags & Flag.tombstone != 0 else { return }
    guard let time = reader.uint64(), let length = reader.byte(), let reason = reader.bytes(Int(length))
    else { return nil }
    tombstone = Tombstone(reason: String(decoding: reason, as: UTF8.self), time: time)
  }

  init(
    kind: TokenKind, alwaysRaw: Bool, authenticated: Bool, createdAt: UInt64, updatedAt: UInt64,
    generation: UInt64, tokenIndex: [UInt8], sealedToken: [UInt8]
  ) {
    self.kind = kind
    self.alwaysRaw = alwaysRaw
    self.authenticated = authenticated
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.generation = generation
    self.tokenIndex = tokenIndex
    self.sealedToken = sealedToken
  }

  func summary(key: ClientKey) -> ClientSummary {
    ClientSummary(
      key: key, kind: kind, alwaysRaw: alwaysRaw, authenticated: authenticated, createdAt: createdAt,
      updatedAt: updatedAt, generation: generation, tokenIndex: tokenIndex, tombstone: tombstone)
  }
}
