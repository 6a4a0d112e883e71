extension Store {
  /// Seals every device token of the store in the folder at `path` anew, from the key of `old` to that of
  /// `new`, in one transaction: after a crash at any moment one of the two keys opens all. The number of
  /// registrations. Whoever had the store open would go on with the old key, hence `use`.
  /// Errors: `wrongKey`, `mapFull`.
  public static func rotateKey(
    path: String, mapSize: UInt64, from old: any TokenCipher, to new: any TokenCipher,
    holding use: SoleUse, progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) -> Int {
    let environment = try LMDBEnvironment(
      path: path + "/registrations", settings: .init(mapSize: mapSize, isDurable: true, mayCreate: false))
    try environment.fillShortFile()
    let table = try RegistrationTable(environment, cipher: old)
    var transaction = try WriteTransaction(environment)
    let count = try table.reseal(with: new, in: &transaction, progress: progress)
    try transaction.commit()
    return count
  }

  /// Whether the store in the folder at `path` was written with the key of `cipher`.
  public static func hasKey(
    of cipher: any TokenCipher, path: String, mapSize: UInt64, holding use: SoleUse
  ) throws(StoreError) -> Bool {
    let environment = try LMDBEnvironment(
      path: path + "/registrations", settings: .init(mapSize: mapSize, isDurable: true, mayCreate: false))
    try environment.fillShortFile()
    do throws(StoreError) {
      _ = try RegistrationTable(environment, cipher: cipher)
      return true
    } catch .wrongKey {
      return false
    }
  }
}

extension RegistrationTable {
  private static let resealBatch = 1000

  /// Replaces seals, token indexes and the key check by those of `new`. The number of registrations.
  func reseal(
    with new: any TokenCipher, in transaction: inout WriteTransaction,
    progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) -> Int {
    let total = try transaction.count(registrations)
    try transaction.clear(tokens)
    var count = 0
    var start: [UInt8] = []
    while true {
      // A cursor must not see the table change under it, hence batches.
      var batch: [(key: ClientKey, row: RegistrationRow, token: String)] = []
      try transaction.scan(registrations, from: start) { (bytes, value) throws(StoreError) in
        var rest = value
        guard let key = ClientKey(stored: bytes), let row = RegistrationRow(takenFrom: &rest) else {
          throw damaged("a registration can't be read")
        }
        batch.append((key, row, try token(rest, of: key)))
        return batch.count < Self.resealBatch
      }
      for (key, row, token) in batch {
        try seal(token, in: row, key, with: new, &transaction)
      }
      count += batch.count
      progress(.registrations(count, of: total))
      guard batch.count == Self.resealBatch, let last = batch.last else { break }
      start = StoredKey(last.key).bytes + [0]
    }
    try transaction.put(meta, MetaKey.keyCheck, new.keyCheck)
    return count
  }

  private func seal(
    _ token: String, in row: RegistrationRow, _ key: ClientKey, with new: any TokenCipher,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    var row = row
    let sealedToken: [UInt8]
    row.tokenIndex = try new.tokenIndex(app: key.appID, kind: row.kind, token: token)
    do throws(TokenCipherError) {
      sealedToken = try new.seal(Array(token.utf8), context: key.bytes)
    } catch {
      throw .cipher(error.detail)
    }
    let stored = StoredKey(key).bytes
    try transaction.put(registrations, stored, row.encode(sealedToken: sealedToken))
    try transaction.put(tokens, row.tokenIndex, stored)
  }
}
