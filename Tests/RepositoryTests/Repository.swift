import TestSupport

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
  static let sources: [Source] = Files.all(in: root + "/Sources").filter { $0.hasSuffix(".swift") }.map {
    file in
    let path = String(file.dropFirst((root + "/Sources/").count))
    let lines = String(decoding: read(file), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    return Source(target: String(path.prefix { $0 != "/" }), path: path, lines: lines)
  }

  /// The targets of the package that have a folder in `Sources`.
  static let targets = Set(Files.names(in: root + "/Sources") ?? [])

  /// A file's content; empty when it cannot be read.
  static func read(_ path: String) -> [UInt8] { Files.read(path) ?? [] }
}
