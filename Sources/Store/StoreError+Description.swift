import CLMDB
import Glibc

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .mapFull(let path, let mapSize, let key):
      "the store in \(path) is full: its map of \(mapSize) bytes is used up; raise \(key) and restart"
    case .outgrown(let path):
      "another process made the store in \(path) larger than this one's map; pushbox must be started anew, and "
        + "commands must be given the configuration that the server runs with"
    case .diskFull(let path):
      "no space left on the disk that holds \(path); free some space, nothing was lost"
    case .permissionDenied(let path):
      "no permission to use \(path); the folder and the files in it must belong to the user pushbox runs as, on a "
        + "disk that is not read-only"
    case .damaged(let path, let detail):
      "the store in \(path) is damaged: \(detail); restore it from a backup with "
        + "`pushbox restore --force FILE`, or move it away to begin anew"
    case .formatMismatch(let path):
      "the store in \(path) was written by another LMDB file format; use the LMDB library it was made with, "
        + "or export there and import here"
    case .newerSchema(let path, let found, let supported):
      "the store in \(path) has schema version \(found), this pushbox knows up to \(supported); "
        + "install the newer pushbox again"
    case .olderSchema(let path, let found, let current):
      "the store in \(path) has schema version \(found), this pushbox works with \(current); start the server of "
        + "this pushbox, which brings it up to date, or use the older pushbox's command"
    case .wrongKey(let path):
      "the store in \(path) was written with another master key; configure the key it was made with"
    case .locked(let path, let pid):
      "another pushbox (pid \(pid.map(String.init) ?? "unknown")) serves \(path); stop it first, "
        + "or use another store.path"
    case .inUse(let path):
      "a pushbox command has the store in \(path) open; wait until it has ended, or stop it, and try again"
    case .beingReplaced(let path):
      "restore or rotate-key is at work on the store in \(path); try again when it has ended"
    case .alreadyOpen(let path):
      "the store in \(path) is already open in this process"
    case .notFound(let path):
      "there is no store in \(path); check store.path, `pushbox serve` creates it"
    case .alreadyExists(let path):
      "there is a store in \(path) already; --force replaces it and keeps its file beside the new one"
    case .emptyBackup(let path):
      "\(path) holds no registrations: nothing was restored"
    case .overloaded:
      "the store's write queue is full; try again later"
    case .closed:
      "the store is closed"
    case .tooManyReaders(let path):
      "all reader slots of the store in \(path) are taken; stop tools that have it open"
    case .mustReopen(let path):
      "an earlier write to \(path) failed for good; pushbox must be started anew, check the disk if it comes again"
    case .invalidValue(let detail):
      detail
    case .cipher(let detail):
      "a stored device token can't be opened or sealed: \(detail)"
    case .system(let operation, let path, let code):
      "\(operation) \(path): \(String(cString: strerror(code)))"
    case .engine(let operation, let path, let code):
      "\(operation) in \(path): \(String(cString: mdb_strerror(code)))"
    }
  }
}
