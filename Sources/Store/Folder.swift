import Glibc

/// Folders and small files of the store.
enum Folder {
  /// Creates `path` with mode 0700 unless it is there; its parent must exist. The new entry is on the disk
  /// when this returns.
  static func create(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 {
      try sync(parent(of: path))
    } else if errno != EEXIST {
      throw .from(errno: errno, operation: "creating", path: path)
    }
  }

  /// Waits until the entries of the folder at `path` are on the disk.
  static func sync(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "opening", path: path) }
    defer { close(descriptor) }
    // Some file systems can't sync a folder and say EINVAL; they leave no better way.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .from(errno: errno, operation: "syncing", path: path)
    }
  }

  /// Copies a file to a new one with mode 0600, and waits for the disk.
  static func copyFile(
    _ source: String, to target: String, progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .from(errno: errno, operation: "opening", path: source) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .from(errno: errno, operation: "creating", path: target) }
    defer { close(output) }
    var status = stat()
    let total = fstat(input, &status) == 0 ? Int(status.st_size) : 0
    var done = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      guard count >= 0 else { throw .from(errno: errno, operation: "reading", path: source) }
      guard count > 0 else { break }
      try write(buffer[..<count], to: output, path: target)
      done += count
      progress(.copied(done, of: total))
    }
    guard fsync(output) == 0 else { throw .from(errno: errno, operation: "syncing", path: target) }
  }

  /// Writes all of it to a file that is open; `path` is for the error.
  static func write(_ bytes: ArraySlice<UInt8>, to file: Int32, path: String) throws(StoreError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBufferPointer { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .from(errno: errno, operation: "writing", path: path) }
      rest = rest.dropFirst(count)
    }
  }

  static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  /// Names in the folder at `path`, without `.` and `..`; empty when it can't be read.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The first 4,096 bytes of a small file; nil when it is missing or can't be read.
  static func readSmallFile(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : [UInt8](bytes.prefix(count))
  }

  /// Writes `content` at the beginning of a file that is made if need be, and waits for the disk. In place and
  /// always of one length, so that it works on a full disk too.
  static func overwriteFile(_ name: String, in folder: String, with content: [UInt8]) throws(StoreError) {
    let path = folder + "/" + name
    let isNew = access(path, F_OK) != 0
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .from(errno: errno, operation: "opening", path: path) }
    defer { close(descriptor) }
    let written = pwrite(descriptor, content, content.count, 0)
    guard written == content.count, fsync(descriptor) == 0 else {
      throw .from(
        errno: written >= 0 && written < content.count ? ENOSPC : errno, operation: "writing", path: path)
    }
    if isNew { try sync(folder) }
  }
}
