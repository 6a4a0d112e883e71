import Glibc

extension Store {
  /// Writes a compacted copy of the registrations to a new file at `path`, readable by its owner only, and
  /// waits until it is on the disk. It is the `data.mdb` of a registrations folder. Runs beside writers; takes
  /// as long as the disk does. An unfinished file is removed.
  public func backUpRegistrations(to path: String) throws(StoreError) {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "creating", path: path) }
    defer { Glibc.close(descriptor) }
    do throws(StoreError) {
      try registrations.environment.copy(to: descriptor)
      guard fsync(descriptor) == 0 else { throw .from(errno: errno, operation: "syncing", path: path) }
      try Folder.sync(Folder.parent(of: path))
    } catch {
      unlink(path)
      throw error
    }
  }
}
