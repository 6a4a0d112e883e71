import Glibc
import TOML
import Testing

@testable import TOMLDecoder

/// The public toml-test vectors, which lie beside the package.
@Suite(.enabled(if: Vectors.arePresent)) struct VectorTests {
  @Test func validDocumentsGiveTheirTrees() throws {
    let files = Vectors.files(in: "valid", suffix: ".toml")
    #expect(files.count > 100)
    for file in files {
      do {
        var json: [UInt8] = []
        TaggedJSON.append(try TOMLDocument.parse(try Vectors.read(file)), to: &json)
        let expected = try TaggedTree(json: Vectors.read(String(file.dropLast(5)) + ".json"))
        #expect(try TaggedTree(json: json) == expected, "\(file)")
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  @Test func invalidDocumentsAreRefused() throws {
    let files = Vectors.files(in: "invalid", suffix: ".toml")
    #expect(files.count > 200)
    for file in files {
      let error = parseError(try Vectors.read(file))
      #expect(error != nil, "\(file) was accepted")
    }
  }
}

enum Vectors {
  private struct Unreadable: Error {}

  private static let folder: String = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(root)/../shared/vectors/toml"
  }()

  static let arePresent: Bool = {
    let present = access(folder, R_OK) == 0
    if !present { print("SKIPPED: the toml-test vectors are absent; expected them in \(folder)") }
    return present
  }()

  static func files(in subfolder: String, suffix: String) -> [String] {
    list("\(folder)/\(subfolder)").filter { $0.hasSuffix(suffix) }.sorted()
  }

  private static func list(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [path] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { files += list("\(path)/\(name)") }
    }
    return files
  }

  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Unreadable() }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw Unreadable() }
      if count == 0 { return content }
      content += chunk[..<count]
    }
  }
}
