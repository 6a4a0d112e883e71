import Glibc

/// Reads the small files that belong to the configuration.
struct FileContent {
  /// No key or configuration comes near this.
  static let maximumBytes = 1 << 20

  struct Unreadable: Error {
    let reason: String
  }

  let bytes: [UInt8]
  /// Whether users other than owner and group may read it.
  let isWorldReadable: Bool

  /// Reads a regular file (or a pipe, as process substitution gives one) of at most 1 MiB.
  static func read(_ path: String) throws(Unreadable) -> FileContent {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(reason: "can't open: \(errorText(errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(reason: "can't read: \(errorText(errno))") }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Unreadable(reason: "is a folder, expected a file") }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while content.count <= maximumBytes {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 {
        return FileContent(bytes: content, isWorldReadable: status.st_mode & S_IROTH != 0)
      }
      if count > 0 {
        content += chunk[..<count]
      } else if errno != EINTR {
        throw Unreadable(reason: "can't read: \(errorText(errno))")
      }
    }
    throw Unreadable(reason: "is larger than 1 MiB, expected a small file")
  }

  /// `name`, which the file at `path` gives, as seen from the working directory.
  static func resolve(_ name: String, besideFile path: String) -> String {
    guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
    return String(path[...slash]) + name
  }

  private static func errorText(_ code: Int32) -> String {
    switch code {
    case ENOENT: "there is no such file"
    case EACCES: "permission denied"
    default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
  }
}
