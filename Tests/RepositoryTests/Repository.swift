import Glibc

/// The files of this repository, as a test sees them.
enum Repository {
  /// A source file under `Sources`.
  struct Source: Sendable {
    /// The target it belongs to.
    var target: String
    /// Its path from `Sources`.
    var path: String
    var lines: [Substring]
  }

  static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// Every Swift file under `Sources`.
  static let sources: [Source] = names(in: root + "/Sources").flatMap { target in
    files(in: target).filter { $0.hasSuffix(".swift") }.map { path in
      let text = String(decoding: read(root + "/Sources/" + path), as: UTF8.self)
      return Source(
        target: target, path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  /// The targets of the package that have a folder in `Sources`.
  static let targets = Set(names(in: root + "/Sources"))

  /// A file's content; empty when it cannot be read.
  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return content }
      content.append(contentsOf: chunk[..<count])
    }
  }

  private static func files(in folder: String) -> [String] {
    names(in: root + "/Sources/" + folder).flatMap { name in
      name.contains(".") ? ["\(folder)/\(name)"] : files(in: "\(folder)/\(name)")
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
