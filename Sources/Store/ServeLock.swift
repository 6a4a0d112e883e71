import Glibc

/// The right to serve a store folder: an flock(2) on `serve.lock`, which names the holder's process ID and
/// ends with the process, however it ends.
public final class ServeLock: Sendable {
  private let descriptor: Int32

  /// - Parameter folder: the store's folder, which exists.
  /// Errors: `locked`.
  public init(folder: String) throws(StoreError) {
    let path = folder + "/serve.lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "opening", path: path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK else { throw .from(errno: code, operation: "locking", path: path) }
      let holder = String(decoding: (Folder.readSmallFile(path) ?? []).prefix { $0 > 0x20 }, as: UTF8.self)
      throw .locked(path: folder, pid: Int32(holder))
    }
    // Of one width and in place: a full disk must not keep the server from starting.
    let pid = Array(String(getpid()).utf8)
    let line = pid + [UInt8](repeating: 0x20, count: max(0, 15 - pid.count)) + [0x0A]
    guard pwrite(descriptor, line, line.count, 0) == line.count else {
      let code = errno
      close(descriptor)
      throw .from(errno: code, operation: "writing", path: path)
    }
    self.descriptor = descriptor
  }

  deinit {
    // Not by closing alone: a child that is just being started has a copy until it calls exec.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
