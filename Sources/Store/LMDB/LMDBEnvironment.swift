import CLMDB
import Glibc

/// One LMDB environment: a folder with `data.mdb` and `lock.mdb`. Closed when the last user lets go.
///
/// Never with MDB_WRITEMAP: a full disk would kill the process with SIGBUS instead of giving an error.
final class LMDBEnvironment: @unchecked Sendable {
  // Safe to share: LMDB's environment handle may be used from any thread (lmdb.h, introduction), and what is
  // stored here is set before it is shared.
  struct Settings {
    /// Bytes that data may take; nil adopts the size the file was made with. The map is larger by a reserve.
    var mapSize: UInt64?
    /// What that is called in the configuration.
    var mapSizeKey = "store.map_size"
    /// False: commits don't wait for the disk; `sync` must be called (MDB_NOSYNC).
    var isDurable: Bool
    /// False: opening a folder without `data.mdb` throws `notFound`.
    var mayCreate: Bool
    var maximumTables: UInt32 = 16
    var maximumReaders: UInt32 = 512
    /// Called when LMDB has given up (MDB_PANIC), or the file has grown beyond the map.
    var onUnusable: @Sendable (StoreError) -> Void = { _ in }
  }

  let path: String
  /// Bytes for data, without the reserve.
  let usableSize: UInt64
  private let mapSizeKey: String
  /// That no more than the reserve is left.
  var mapFull: StoreError { .mapFull(path: path, mapSize: usableSize, key: mapSizeKey) }
  private let handle: OpaquePointer
  private let registration: OpenFolder
  private let pageSize: Int
  private let onUnusable: @Sendable (StoreError) -> Void
  /// The length in bytes that `data.mdb` had when its header asks for more; nil when it was whole.
  var shortLength: Int?

  init(path: String, settings: Settings) throws(StoreError) {
    self.path = path
    onUnusable = settings.onUnusable
    mapSizeKey = settings.mapSizeKey
    let dataFile = path + "/data.mdb"
    let exists = access(dataFile, F_OK) == 0
    guard exists || settings.mayCreate else { throw .notFound(path: path) }
    try Folder.create(path)
    registration = try OpenFolder(path)
    var env: OpaquePointer?
    guard mdb_env_create(&env) == 0, let env else {
      throw .system(operation: "creating an LMDB environment for", path: path, code: ENOMEM)
    }
    do throws(StoreError) {
      try Self.open(env, path: path, settings: settings)
    } catch {
      mdb_env_close(env)
      throw error
    }
    handle = env
    var info = MDB_envinfo()
    mdb_env_info(env, &info)
    var stat = MDB_stat()
    mdb_env_stat(env, &stat)
    pageSize = Int(stat.ms_psize)
    usableSize = Reserve.usable(of: UInt64(info.me_mapsize))
    // From here on deinit closes the environment.
    shortLength = try fileLength(below: lengthInUse)
    if !exists {
      // LMDB syncs the file but not the folder's entry for it.
      try Folder.sync(path)
    }
  }

  deinit {
    mdb_env_close(handle)
    _ = registration
  }

  private static func open(_ env: OpaquePointer, path: String, settings: Settings) throws(StoreError) {
    let mapSize = settings.mapSize.map(Reserve.mapSize) ?? 0
    func check(_ code: Int32, _ operation: String) throws(StoreError) {
      guard code != 0 else { return }
      throw .from(lmdb: code, operation: operation, path: path, mapSize: mapSize, key: settings.mapSizeKey)
    }
    if mapSize > 0 {
      try check(mdb_env_set_mapsize(env, Int(clamping: mapSize)), "setting the map size")
    }
    try check(mdb_env_set_maxdbs(env, settings.maximumTables), "setting the table limit")
    try check(mdb_env_set_maxreaders(env, settings.maximumReaders), "setting the reader limit")
    var flags = UInt32(MDB_NOTLS)
    if !settings.isDurable { flags |= UInt32(MDB_NOSYNC) }
    try check(mdb_env_open(env, path, flags, 0o600), "opening the store")
    var dead: Int32 = 0
    try check(mdb_reader_check(env, &dead), "clearing stale readers")
  }

  /// Frees the reader slots of processes that ended without doing so: what they read could not be written over. How
  /// many there were.
  func clearStaleReaders() throws(StoreError) -> Int {
    var dead: Int32 = 0
    try check(mdb_reader_check(handle, &dead), "clearing stale readers")
    return Int(dead)
  }

  /// Opens or creates a table. Only while no other transaction of this process opens tables: at start.
  func openTable(_ name: String, in transaction: borrowing WriteTransaction) throws(StoreError) -> Table {
    var table: MDB_dbi = 0
    try check(mdb_dbi_open(transaction.handle, name, UInt32(MDB_CREATE), &table), "opening table \(name)")
    return Table(handle: table)
  }

  /// Whether a table is there already. At start, like `openTable`.
  func hasTable(_ name: String) throws(StoreError) -> Bool {
    let transaction = try beginTransaction(flags: MDB_RDONLY)
    defer { mdb_txn_abort(transaction) }
    var table: MDB_dbi = 0
    let code = mdb_dbi_open(transaction, name, 0, &table)
    if code == MDB_NOTFOUND || code == MDB_INCOMPATIBLE { return false }
    try check(code, "looking for table \(name)")
    return true
  }

  func beginTransaction(flags: Int32) throws(StoreError) -> OpaquePointer {
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle, nil, UInt32(flags), &transaction)
    guard code == 0, let transaction else { throw error(code, "beginning a transaction") }
    return transaction
  }

  /// Waits until all commits so far are on the disk.
  func sync() throws(StoreError) {
    try check(mdb_env_sync(handle, 1), "syncing")
  }

  /// Writes a compacted copy to `descriptor`, a file at `path`; runs beside writers.
  func copy(to descriptor: Int32, path: String) throws(StoreError) {
    let code = mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT))
    // The operating system's errors are the copy's: of this file nothing is read but by the map.
    if code > 0 { throw .from(errno: code, operation: "copying to", path: path) }
    try check(code, "copying")
  }

  /// The number of the latest transaction committed.
  var lastTransaction: UInt64 {
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    return UInt64(info.me_last_txnid)
  }

  struct Space {
    var highestPage: Int
    var usablePages: Int
    /// Kept for deletes.
    var reservedPages: Int
    var pageSize: Int
  }

  /// Pages up to the highest one in use, free ones among them included.
  func spaceInUse() -> Space {
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    let usablePages = Int(clamping: usableSize / UInt64(pageSize))
    return Space(
      highestPage: info.me_last_pgno + 1, usablePages: usablePages,
      reservedPages: info.me_mapsize / pageSize - usablePages, pageSize: pageSize)
  }

  /// Bytes up to the end of the highest page in use.
  var lengthInUse: Int {
    let space = spaceInUse()
    return space.highestPage * space.pageSize
  }

  private func fileLength(below limit: Int) throws(StoreError) -> Int? {
    var status = stat()
    guard fstat(try descriptor(), &status) == 0 else {
      throw .from(errno: errno, operation: "reading the size of", path: path)
    }
    return status.st_size < limit ? status.st_size : nil
  }

  /// Fills a file that ends early up with zeros: reading a lost page then gives an error and not SIGBUS.
  func fillShortFile() throws(StoreError) {
    guard shortLength != nil else { return }
    // Unlike ftruncate this can't shorten a file that another process has made longer by now.
    let code = posix_fallocate(try descriptor(), lengthInUse - 1, 1)
    guard code == 0 else { throw .from(errno: code, operation: "extending", path: path) }
  }

  /// Gives a filled file its old length back.
  func restoreShortFile(_ length: Int) throws(StoreError) {
    guard ftruncate(try descriptor(), length) == 0 else {
      throw .from(errno: errno, operation: "restoring the size of", path: path)
    }
  }

  private func descriptor() throws(StoreError) -> Int32 {
    var descriptor: mdb_filehandle_t = -1
    try check(mdb_env_get_fd(handle, &descriptor), "finding the data file")
    return descriptor
  }

  func check(_ code: Int32, _ operation: String) throws(StoreError) {
    if code != 0 { throw error(code, operation) }
  }

  func error(_ code: Int32, _ operation: String) -> StoreError {
    // A write that the disk has no room for in full comes out of LMDB as EIO (mdb.c, mdb_page_flush).
    let code = code == EIO && isDiskFull ? ENOSPC : code
    let error = StoreError.from(
      lmdb: code, operation: operation, path: path, mapSize: usableSize, key: mapSizeKey)
    switch error {
    case .mustReopen, .outgrown: onUnusable(error)
    default: break
    }
    return error
  }

  private var isDiskFull: Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_bavail * status.f_frsize < 1 << 20
  }
}

/// The part of the map that is kept for deletes and bookkeeping; sparse, so it costs nothing.
enum Reserve {
  private static let minimum: UInt64 = 1 << 20
  private static let page: UInt64 = 4096

  /// The map to ask for when `usable` bytes are wanted: a sixteenth more, at least 1 MiB, in whole pages.
  static func mapSize(for usable: UInt64) -> UInt64 {
    let usable = min(usable, UInt64(Int.max) / 2)
    return (usable + max(usable / 16, minimum) + page - 1) / page * page
  }

  static func usable(of mapSize: UInt64) -> UInt64 {
    mapSize / 17 >= minimum ? mapSize - mapSize / 17 : mapSize - min(minimum, mapSize / 2)
  }
}
