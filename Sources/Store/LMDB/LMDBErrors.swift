import CLMDB
import Glibc

extension StoreError {
  /// The error that an LMDB return code (lmdb.h, "Return Codes", or an errno value) stands for.
  ///
  /// - Parameter key: the setting that `mapSize` comes from.
  static func from(
    lmdb code: Int32, operation: String, path: String, mapSize: UInt64, key: String
  ) -> StoreError {
    switch code {
    case MDB_MAP_FULL: .mapFull(path: path, mapSize: mapSize, key: key)
    case MDB_MAP_RESIZED: .outgrown(path: path)
    case MDB_INVALID: .damaged(path: path, detail: "data.mdb is no LMDB file or its header is broken")
    case MDB_CORRUPTED: .damaged(path: path, detail: "a page has the wrong type")
    case MDB_PAGE_NOTFOUND: .damaged(path: path, detail: "a page is missing")
    // What a table whose root page is broken gives: LMDB keeps the first error to itself (mdb.c, mdb_cursor_init).
    case MDB_BAD_TXN: .damaged(path: path, detail: "a table can't be read")
    case MDB_VERSION_MISMATCH: .formatMismatch(path: path)
    case MDB_READERS_FULL: .tooManyReaders(path: path)
    case MDB_PANIC: .mustReopen(path: path)
    case let code where code > 0: from(errno: code, operation: operation, path: path)
    default: .engine(operation: operation, path: path, code: code)
    }
  }

  static func from(errno code: Int32, operation: String, path: String) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EACCES, EPERM, EROFS: .permissionDenied(path: path)
    default: .system(operation: operation, path: path, code: code)
    }
  }
}
