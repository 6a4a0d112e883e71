import CLMDB

/// A reader slot of an environment, used again and again. One per thread that reads: not Sendable.
final class ReadSlot {
  let environment: LMDBEnvironment
  private let handle: OpaquePointer

  /// Errors: `tooManyReaders`.
  init(_ environment: LMDBEnvironment) throws(StoreError) {
    self.environment = environment
    handle = try environment.beginTransaction(flags: MDB_RDONLY)
    mdb_txn_reset(handle)
  }

  deinit {
    mdb_txn_abort(handle)
  }

  /// A view of the latest commit. Keep it short: it keeps old pages from being used again.
  func begin() throws(StoreError) -> ReadTransaction {
    try environment.check(mdb_txn_renew(handle), "beginning a read")
    return ReadTransaction(slot: self, handle: handle)
  }
}

/// One snapshot. Ends with its scope.
struct ReadTransaction: Transaction, ~Copyable {
  private let slot: ReadSlot
  let handle: OpaquePointer

  fileprivate init(slot: ReadSlot, handle: OpaquePointer) {
    self.slot = slot
    self.handle = handle
  }

  deinit {
    mdb_txn_reset(handle)
  }

  var environment: LMDBEnvironment { slot.environment }
}

extension ReadTransaction {
  /// Pages freed by earlier transactions; counting stops once `limit` is reached.
  func freePageCount(atLeast limit: Int = .max) throws(StoreError) -> Int {
    var total = 0
    try scan(.freePages, from: []) { (_, value) throws(StoreError) in
      // Each value is an ID list: its length as a native word, then the page numbers (mdb.c, IDL).
      total += value.withUnsafeBufferPointer { bytes in
        bytes.count < 8 ? 0 : UnsafeRawBufferPointer(bytes).loadUnaligned(as: Int.self)
      }
      return total < limit
    }
    return total
  }
}
