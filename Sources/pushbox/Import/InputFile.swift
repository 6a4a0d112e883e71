import Glibc

/// A file that is read from its beginning to its end, or standard input.
final class InputFile {
  private let path: String
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameter path: `-` for standard input.
  init(_ path: String) throws(StoreCommand.Failure) {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreCommand.Failure("\(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Bytes of the file; nil when that is not known.
  var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.st_size
  }

  /// The next bytes; nil at the end.
  func read() throws(StoreCommand.Failure) -> [UInt8]? {
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StoreCommand.Failure("\(path): \(String(cString: strerror(errno)))") }
      return count == 0 ? nil : Array(buffer.prefix(count))
    }
  }
}
