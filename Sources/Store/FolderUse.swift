import Glibc

/// The use of a store's folder by commands: an flock(2) on the folder itself, shared by those that have the store open
/// beside its server, held alone by one that puts something else in the place of what they have open. Ends with the
/// process.
final class FolderUse: Sendable {
  enum Kind {
    case shared, sole
  }

  private let descriptor: Int32

  /// Errors: `beingReplaced` for a shared use, `inUse` for a sole one.
  init(_ folder: String, _ kind: Kind) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "opening", path: folder) }
    guard flock(descriptor, (kind == .sole ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK else { throw .from(errno: code, operation: "locking", path: folder) }
      throw kind == .sole ? .inUse(path: folder) : .beingReplaced(path: folder)
    }
    self.descriptor = descriptor
  }

  deinit {
    // As with `ServeLock`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
