import Glibc

/// The files of the shared vector folder; empty when it is absent.
enum VectorFiles {
  /// A file's name and content.
  struct File: Sendable, CustomStringConvertible {
    var name: String
    var content: [UInt8]
    var description: String { name }
  }

  static let all: [File] = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = "/\(root)/../shared/vectors/json"
    guard let directory = opendir(folder) else {
      print("SKIPPED: no JSON vectors at \(folder); the conformance tests do not run")
      return []
    }
    defer { closedir(directory) }
    var files: [File] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".json"), let content = read("\(folder)/\(name)") else { continue }
      files.append(File(name: name, content: content))
    }
    return files.sorted { $0.name < $1.name }
  }()

  static func named(_ prefix: String) -> [File] { all.filter { $0.name.hasPrefix(prefix) } }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return content }
      content.append(contentsOf: chunk[..<count])
    }
  }
}
