import Glibc

/// A folder that goes with its last reference, with everything in it.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/pushbox-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw TestSupportError("mkdtemp: \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  /// Writes a file of the folder.
  public func write(_ name: String, _ text: String) throws {
    try Self.write(text, to: path + "/" + name)
  }

  /// Writes the file at `path`.
  public static func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestSupportError("open \(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw TestSupportError("write \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// The bytes of the file at `path`.
  public static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw TestSupportError("open \(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk.prefix(count) }
    return bytes
  }

  /// What is in the folder.
  public var names: [String] { Self.entries(path).map(\.name) }

  private static func remove(_ path: String) {
    for (name, isFolder) in entries(path) {
      if isFolder {
        remove(path + "/" + name)
      } else {
        unlink(path + "/" + name)
      }
    }
    rmdir(path)
  }

  private static func entries(_ path: String) -> [(name: String, isFolder: Bool)] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var entries: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { entries.append((name, entry.pointee.d_type == UInt8(DT_DIR))) }
    }
    return entries
  }
}

/// What a test could not set up.
public struct TestSupportError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
