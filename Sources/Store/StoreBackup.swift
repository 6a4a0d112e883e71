import Glibc

extension Store {
  /// Writes the same compacted copy to a descriptor, such as a pipe, and waits until all of it was taken.
  public func writeRegistrations(to descriptor: Int32) throws(StoreError) {
    try registrations.environment.copy(to: descriptor)
  }

  /// What the file at `path` is called until it is whole.
  public static func partialName(ofBackup path: String) -> String { path + ".partial" }

  /// Writes a compacted copy of the registrations to a new file at `path`, readable by its owner only, and
  /// waits until it is on the disk. It is the `data.mdb` of a registrations folder. Runs beside writers; takes
  /// as long as the disk does. The file has another name until it is whole.
  public func backUpRegistrations(to path: String) throws(StoreError) {
    guard access(path, F_OK) != 0 else { throw .system(operation: "creating", path: path, code: EEXIST) }
    let partial = Self.partialName(ofBackup: path)
    unlink(partial)
    let descriptor = Glibc.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "creating", path: path) }
    defer { Glibc.close(descriptor) }
    do throws(StoreError) {
      try registrations.environment.copy(to: descriptor)
      guard fsync(descriptor) == 0 else { throw .from(errno: errno, operation: "syncing", path: path) }
      guard rename(partial, path) == 0 else { throw .from(errno: errno, operation: "renaming", path: path) }
      try Folder.sync(Folder.parent(of: path))
    } catch {
      unlink(partial)
      throw error
    }
  }
}
