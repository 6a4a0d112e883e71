import Glibc

/// A file that gets its name only once it is whole. Of one that did not get so far nothing is left, however the
/// process ends: it has no name until then (open(2), O_TMPFILE). On a file system without such files it has another.
public final class NewFile: Sendable {
  public let path: String
  /// To be written to by others too.
  public let descriptor: Int32
  /// nil when the file has none.
  private let draft: String?
  /// O_TMPFILE (open(2); `__O_TMPFILE` of asm-generic/fcntl.h), which Glibc shows to GNU sources only.
  private static let temporary: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Makes the file, readable by its owner only.
  ///
  /// - Parameter path: must not exist.
  /// Errors: `invalidValue` when it exists, `permissionDenied`, `diskFull`, `system`.
  public convenience init(_ path: String) throws(StoreError) {
    try self.init(path, mayBeUnnamed: true)
  }

  init(_ path: String, mayBeUnnamed: Bool) throws(StoreError) {
    self.path = path
    guard access(path, F_OK) != 0 else { throw Self.exists(path) }
    // It gets its name by way of /proc.
    let mayBeUnnamed = mayBeUnnamed && access("/proc/self/fd", F_OK) == 0
    let unnamed =
      mayBeUnnamed ? open(Folder.parent(of: path), O_WRONLY | Self.temporary | O_CLOEXEC, 0o600) : -1
    guard unnamed < 0 else {
      descriptor = unnamed
      draft = nil
      return
    }
    // Each has one of its own: two that write to one name must not mix.
    var template = Array((path + ".partial-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "creating", path: path) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if let draft { unlink(draft) }
  }

  /// Bytes written so far. Any thread.
  public var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_size : 0
  }

  /// Errors: `diskFull`, `system`.
  public func write(_ bytes: [UInt8]) throws(StoreError) {
    try Folder.write(bytes[...], to: descriptor, path: path)
  }

  /// Waits for the disk and gives the file its name. Never replaces another file.
  public func finish() throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw .from(errno: errno, operation: "syncing", path: path) }
    try takeName()
    try Folder.sync(Folder.parent(of: path))
  }

  private static func exists(_ path: String) -> StoreError {
    .invalidValue("\(path) exists already; give another name")
  }

  private func takeName() throws(StoreError) {
    guard let draft else {
      let own = "/proc/self/fd/" + String(descriptor)
      guard linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
        throw errno == EEXIST ? Self.exists(path) : .from(errno: errno, operation: "naming", path: path)
      }
      return
    }
    // Such a file system may have no links either.
    guard access(path, F_OK) != 0 else { throw Self.exists(path) }
    guard rename(draft, path) == 0 else { throw .from(errno: errno, operation: "naming", path: path) }
  }
}
