/// What can go wrong in the store. The description is meant for an operator: what, where, what to do.
public enum StoreError: Error, Equatable, Sendable {
  /// The memory map is used up, whose size is the setting `key`. Nothing was lost; deletes still work.
  case mapFull(path: String, mapSize: UInt64, key: String)
  /// Another process made the file larger than this one's map: it must be reopened.
  case outgrown(path: String)
  /// The file system is full or over quota.
  case diskFull(path: String)
  /// The operating system refuses access to a file or folder.
  case permissionDenied(path: String)
  /// The file is no store, is cut short, or contradicts itself.
  case damaged(path: String, detail: String)
  /// The file was written by an LMDB with another file format.
  case formatMismatch(path: String)
  /// The store was written by a newer pushbox.
  case newerSchema(path: String, found: UInt32, supported: UInt32)
  /// The store was written by an older pushbox, and only the server that starts may bring it up to date.
  case olderSchema(path: String, found: UInt32, current: UInt32)
  /// The master key is not the one this store was written with.
  case wrongKey(path: String)
  /// Another process serves this folder; its process ID when it could be read.
  case locked(path: String, pid: Int32?)
  /// A command has the store open that another one was to replace or to seal anew.
  case inUse(path: String)
  /// Another command replaces the store or seals it anew.
  case beingReplaced(path: String)
  /// This process has the folder open already; LMDB allows that only once.
  case alreadyOpen(path: String)
  /// There is no store in this folder.
  case notFound(path: String)
  /// A restore would replace the store in this folder.
  case alreadyExists(path: String)
  /// The backup holds no registrations.
  case emptyBackup(path: String)
  /// The writer's queue is full: try again later.
  case overloaded
  /// The store was closed.
  case closed
  /// All reader slots are taken.
  case tooManyReaders(path: String)
  /// A fatal write error happened earlier; the environment must be reopened.
  case mustReopen(path: String)
  /// The caller gave a value that can't be stored.
  case invalidValue(String)
  /// The token cipher refused: wrong key, or a row that was tampered with.
  case cipher(String)
  /// Any other error of the operating system.
  case system(operation: String, path: String, code: Int32)
  /// Any other error of LMDB.
  case engine(operation: String, path: String, code: Int32)
}

extension StoreError {
  /// True when the same request can succeed later: the caller answers 503.
  public var isTransient: Bool {
    switch self {
    case .mapFull, .diskFull, .overloaded, .closed, .tooManyReaders, .mustReopen, .outgrown, .system, .engine:
      true
    // While serving: a disk that turned read-only, which is mounted anew as a full one is emptied.
    case .permissionDenied: true
    case .damaged, .formatMismatch, .newerSchema, .olderSchema, .wrongKey, .locked, .inUse, .beingReplaced,
      .alreadyOpen, .notFound, .alreadyExists, .emptyBackup, .invalidValue, .cipher:
      false
    }
  }
}
