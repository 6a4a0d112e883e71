import CLMDB

/// A named database of one environment. Valid as long as the environment.
struct Table: Sendable {
  let handle: MDB_dbi

  /// LMDB's own table of free pages (`FREE_DBI` in mdb.c; `mdb_stat -f` reads it the same way).
  static let freePages = Table(handle: 0)
}
