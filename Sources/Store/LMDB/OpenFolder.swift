import Bytes
import Glibc

/// Keeps one process from opening an environment twice at a time: the second close would drop the first one's
/// file locks (lmdb.h, caveats).
final class OpenFolder: Sendable {
  private struct Identity: Hashable {
    var device: UInt
    var inode: UInt
  }

  private static let open = Locked<Set<Identity>>([])
  private let identity: Identity

  /// Errors: `alreadyOpen`.
  init(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .from(errno: errno, operation: "opening", path: path) }
    let identity = Identity(device: status.st_dev, inode: status.st_ino)
    self.identity = identity
    guard Self.open.withLock({ $0.insert(identity).inserted }) else { throw .alreadyOpen(path: path) }
  }

  deinit {
    _ = Self.open.withLock { $0.remove(identity) }
  }
}
