extension RegistrationTable {
  /// nil when the client is not registered. Errors: `cipher` when its token can't be opened.
  func lookup(
    _ key: ClientKey, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> ClientRecord? {
    try transaction.get(registrations, StoredKey(key).bytes) { (value) throws(StoreError) -> ClientRecord in
      try record(key, value)
    }
  }

  /// A registration from its bytes in the table, its token opened. Errors: `cipher`, `damaged`.
  private func record(_ key: ClientKey, _ value: Span<UInt8>) throws(StoreError) -> ClientRecord {
    var rest = value
    guard let row = RegistrationRow(takenFrom: &rest) else { throw damaged("a registration can't be read") }
    return ClientRecord(summary: row.summary(key: key), token: try token(rest, of: key))
  }

  /// The device token that was sealed for `key`. Errors: `cipher`.
  func token(_ sealed: Span<UInt8>, of key: ClientKey) throws(StoreError) -> String {
    do throws(TokenCipherError) {
      return String(decoding: try cipher.open(sealed, context: key.bytes), as: UTF8.self)
    } catch {
      throw .cipher(error.detail)
    }
  }

  /// Visits every registration of every app with its opened token, in key order, while `body` returns true.
  func forEachRecord(
    in transaction: borrowing some Transaction & ~Copyable,
    _ body: (ClientRecord) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try transaction.scan(registrations, from: []) { (bytes, value) throws(StoreError) in
      guard let key = ClientKey(stored: bytes) else { throw damaged("a registration can't be read") }
      return try body(try record(key, value))
    }
  }

  /// The client that holds `token`, tombstone or not.
  func client(
    app: String, kind: TokenKind, token: String, in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> ClientKey? {
    let index = try cipher.tokenIndex(app: app, kind: kind, token: token)
    return try transaction.get(tokens, index) { (bytes) throws(StoreError) -> ClientKey in
      guard let key = ClientKey(stored: bytes) else { throw damaged("a token's client can't be read") }
      return key
    }
  }

  /// At most `limit` registrations of `app` whose client ID begins with `prefix`, in the order of `StoredKey`,
  /// beginning after `last`.
  func list(
    app: String, prefix: String, after last: String?, limit: Int,
    in transaction: borrowing some Transaction & ~Copyable
  ) throws(StoreError) -> [ClientSummary] {
    var found: [ClientSummary] = []
    guard limit > 0 else { return found }
    try scan(app: app, prefix: prefix, after: last, in: transaction) { (bytes, value) throws(StoreError) in
      guard let key = ClientKey(stored: bytes), let row = RegistrationRow(value) else {
        throw damaged("a registration can't be read")
      }
      found.append(row.summary(key: key))
      return found.count < limit
    }
    return found
  }

  /// Visits the rows of `app` whose client ID begins with `prefix`, in the order of `StoredKey`, beginning after
  /// `last`, while `body` returns true.
  func scan(
    app: String, prefix: String, after last: String?, in transaction: borrowing some Transaction & ~Copyable,
    _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var goesOn = true
    for range in try StoredKey.ranges(app: app, prefix: prefix, after: last) where goesOn {
      try transaction.scan(registrations, from: range.start) { (key, value) throws(StoreError) in
        guard !range.isPast(key) else { return false }
        goesOn = try body(key, value)
        return goesOn
      }
    }
  }

  /// Compares the tables with each other and opens every token; the first contradiction as words, nil when
  /// all is well. Reads everything: for `pushbox verify`, restores and tests.
  func inconsistency(
    in transaction: borrowing some Transaction & ~Copyable, progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) -> String? {
    let total = try transaction.count(registrations)
    var done = 0
    var problem: String?
    var expected = Counters()
    var tombstoneCount = 0
    try transaction.scan(registrations, from: []) { (bytes, value) throws(StoreError) in
      var rest = value
      guard let row = RegistrationRow(takenFrom: &rest) else {
        problem = "a registration can't be read"
        return false
      }
      if let found = self.problem(of: row, bytes, sealedToken: rest) {
        problem = found
        return false
      }
      expected.add(row)
      if let tombstone = row.tombstone {
        tombstoneCount += 1
        let entry = Self.tombstoneKey(tombstone.time, StoredKey(bytes: [UInt8](copying: bytes)))
        if try !transaction.contains(tombstones, entry) { problem = "a tombstone is missing in their list" }
      }
      if try transaction.copy(tokens, row.tokenIndex) != [UInt8](copying: bytes) {
        problem = "a registration's token belongs to another client"
      }
      done += 1
      progress(.registrations(done, of: total))
      return problem == nil
    }
    if let problem { return problem }
    let counters = try counters(in: transaction)
    for kind in TokenKind.allCases {
      for isDead in [false, true]
      where counters.count(kind, tombstoned: isDead) != expected.count(kind, tombstoned: isDead) {
        return "the count of \(kind.name) registrations is wrong"
      }
    }
    guard try transaction.count(tokens) == transaction.count(registrations) else {
      return "there are more tokens than registrations"
    }
    guard try transaction.count(tombstones) == tombstoneCount else {
      return "the list of tombstones is wrong"
    }
    return nil
  }

  /// What is wrong with the token of one row.
  private func problem(
    of row: RegistrationRow, _ storedKey: Span<UInt8>, sealedToken: Span<UInt8>
  ) -> String? {
    guard let key = ClientKey(stored: storedKey) else { return "a client ID can't be read" }
    do throws(StoreError) {
      let token = try token(sealedToken, of: key)
      let index = try cipher.tokenIndex(app: key.appID, kind: row.kind, token: token)
      return index == row.tokenIndex ? nil : "a registration's token has another index"
    } catch {
      return "\(error)"
    }
  }
}

extension Span where Element == UInt8 {
  func hasPrefix(_ prefix: [UInt8]) -> Bool {
    guard count >= prefix.count else { return false }
    for index in prefix.indices where self[index] != prefix[index] { return false }
    return true
  }
}
