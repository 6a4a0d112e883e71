import Glibc
import Testing

enum FileText {
  static func read(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"), "\(path)")
    defer { fclose(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += chunk[..<count]
    }
  }
}
