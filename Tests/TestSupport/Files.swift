import Glibc

/// Reads files and folders.
public enum Files {
  /// A file's content; nil when it cannot be read.
  public static func read(_ path: String) -> [UInt8]? {
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

  /// A text file's content; nil when it cannot be read.
  public static func text(_ path: String) -> String? {
    read(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is in the folder at `path`, but for hidden names, in order; nil when it cannot be read.
  public static func names(in path: String) -> [String]? { entries(in: path)?.map(\.name) }

  /// The paths of all files in the folder at `path` and the folders within, but for hidden ones, in order.
  public static func all(in path: String) -> [String] {
    (entries(in: path) ?? []).flatMap { entry in
      let inner = path + "/" + entry.name
      return entry.isFolder ? all(in: inner) : [inner]
    }
  }

  private static func entries(in path: String) -> [(name: String, isFolder: Bool)]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var entries: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { entries.append((name, entry.pointee.d_type == UInt8(DT_DIR))) }
    }
    return entries.sorted { $0.name < $1.name }
  }
}
