import TestSupport

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
    guard let names = Files.names(in: folder) else {
      print("SKIPPED: no JSON vectors at \(folder); the conformance tests do not run")
      return []
    }
    return names.filter { $0.hasSuffix(".json") }.compactMap { name in
      Files.read("\(folder)/\(name)").map { File(name: name, content: $0) }
    }
  }()

  static func named(_ prefix: String) -> [File] { all.filter { $0.name.hasPrefix(prefix) } }
}
