import Glibc
import TestSupport

/// A file system in memory, of a size that can be filled. Only root can make one.
final class SmallDisk {
  let path: String
  private let folder: TemporaryFolder

  init(size: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/disk"
    guard mkdir(path, 0o700) == 0, mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
      throw TestSupportError("mount: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  func remount(readOnly: Bool) throws {
    let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
    guard mount("tmpfs", path, "tmpfs", flags, nil) == 0 else {
      throw TestSupportError("remount: \(String(cString: strerror(errno)))")
    }
  }

  func fill(leaving bytes: Int) throws {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw TestSupportError("statvfs") }
    let size = max(0, Int(status.f_bavail * status.f_bsize) - bytes)
    let file = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard posix_fallocate(file, 0, size) == 0 else { throw TestSupportError("fallocate") }
  }

  func makeRoom() { unlink(path + "/filler") }
}
