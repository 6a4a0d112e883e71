import Glibc

/// A file system in memory, of a size that can be filled. Only root can make one.
public final class SmallDisk: Sendable {
  public let path: String
  private let folder: TemporaryFolder

  /// - Parameter size: as `mount -o size=` takes it, such as `16m`.
  public init(size: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/disk"
    guard mkdir(path, 0o700) == 0, mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
      throw TestSupportError("mount: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  public func remount(readOnly: Bool) throws {
    let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
    guard mount("tmpfs", path, "tmpfs", flags, nil) == 0 else {
      throw TestSupportError("remount: \(String(cString: strerror(errno)))")
    }
  }

  /// Takes all room but so many bytes, also while others write there.
  public func fill(leaving bytes: Int) throws {
    let file = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var code = ENOSPC
    for _ in 0..<100 where code == ENOSPC {
      var status = statvfs()
      guard statvfs(path, &status) == 0 else { throw TestSupportError("statvfs") }
      code = posix_fallocate(file, 0, max(1, Int(status.f_bavail * status.f_bsize) - bytes))
    }
    guard code == 0 || code == ENOSPC else {
      throw TestSupportError("fallocate: \(String(cString: strerror(code)))")
    }
  }

  /// Gives back what `fill` took.
  public func makeRoom() { unlink(path + "/filler") }
}
