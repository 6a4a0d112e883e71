/// Which registrations a list shows.
public struct RegistrationFilter: Equatable, Sendable {
  public enum State: Sendable {
    case active, tombstoned
  }

  /// Nil: any.
  public var kind: TokenKind?
  /// Nil: either.
  public var state: State?
  /// Only those to which no push was sent lately (`PushActivity`).
  public var neverPushed = false

  public init(kind: TokenKind? = nil, state: State? = nil, neverPushed: Bool = false) {
    self.kind = kind
    self.state = state
    self.neverPushed = neverPushed
  }
}

/// A part of a list: in byte order of the client IDs, those that are Ed25519 keys after all others.
public struct RegistrationPage: Equatable, Sendable {
  public var items: [ClientSummary] = []
  /// The client ID to go on after; nil at the end.
  public var next: String?
  /// Rows looked at.
  public var scanned = 0

  public init() {}
}

extension StoreReader {
  /// At most `limit` registrations that pass `filter` and whose client ID begins with `prefix`, after `last`. Looks
  /// at no more than `rowLimit` rows, so that a filter that hardly anything passes does not hold up the caller.
  ///
  /// - Parameter isWanted: asked for each that passes; false leaves it out.
  public func page(
    app: String = ClientKey.defaultApp, prefix: String = "", after last: String? = nil,
    filter: RegistrationFilter = RegistrationFilter(), limit: Int, rowLimit: Int,
    where isWanted: (ClientKey) -> Bool = { _ in true }
  ) throws(StoreError) -> RegistrationPage {
    let transaction = try registrationSlot.begin()
    var page = RegistrationPage()
    guard limit > 0, rowLimit > 0 else { return page }
    var lastSeen: String?
    try registrations.scan(app: app, prefix: prefix, after: last, in: transaction) {
      (key, value) throws(StoreError) in
      if page.items.count == limit || page.scanned == rowLimit {
        page.next = lastSeen
        return false
      }
      page.scanned += 1
      let isLast = page.scanned == rowLimit
      guard RegistrationRow.passes(value, filter) else {
        if isLast { lastSeen = ClientKey(stored: key)?.clientID }
        return true
      }
      guard let clientKey = ClientKey(stored: key), let row = RegistrationRow(value) else {
        throw registrations.damaged("a registration can't be read")
      }
      lastSeen = clientKey.clientID
      guard isWanted(clientKey) else { return true }
      if filter.neverPushed, try activity(clientKey) != nil { return true }
      page.items.append(row.summary(key: clientKey))
      return true
    }
    return page
  }

  /// One registration without its token; nil when there is none.
  public func summary(_ key: ClientKey) throws(StoreError) -> ClientSummary? {
    let transaction = try registrationSlot.begin()
    return try registrations.row(StoredKey(key), in: transaction)?.summary(key: key)
  }
}
