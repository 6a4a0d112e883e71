import CLMDB

extension LMDBEnvironment {
  /// Refuses a data file that was cut short.
  ///
  /// A file may end a few pages early for a good reason (pages that were freed before they were ever
  /// written), so only the content can tell: every page in use of such a file is visited once. A file of full
  /// length, the normal case, is not read at all. Errors: `damaged`.
  func refuseIfCutShort(tables: [Table]) throws(StoreError) {
    guard let length = shortLength else { return }
    do throws(StoreError) {
      let transaction = try ReadSlot(self).begin()
      for table in tables {
        var visited = 0
        try transaction.scan(table, from: []) { (_, _) throws(StoreError) in
          visited += 1
          return true
        }
        guard try visited == transaction.count(table) else {
          throw .damaged(path: path, detail: "entries are missing")
        }
      }
      _ = try transaction.freePageCount()
    } catch .damaged {
      throw try cutShort(length)
    }
  }

  /// Opens tables with `body`; damage found in a file that was cut short is reported as that.
  func openingTables<Tables>(
    _ body: (inout WriteTransaction) throws(StoreError) -> Tables
  ) throws(StoreError) -> Tables {
    do throws(StoreError) {
      var transaction = try WriteTransaction(self)
      let tables = try body(&transaction)
      try transaction.commit()
      return tables
    } catch .damaged(let path, let detail) {
      guard let length = shortLength else { throw .damaged(path: path, detail: detail) }
      throw try cutShort(length)
    }
  }

  private func cutShort(_ length: Int) throws(StoreError) -> StoreError {
    // As it was found: the next start must find the same damage.
    try restoreShortFile(length)
    return .damaged(
      path: path,
      detail: "data.mdb was cut short: it has \(length) bytes where its header needs "
        + "\(lengthInUse)")
  }
}
