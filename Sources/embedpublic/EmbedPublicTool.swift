import Bytes
import Glibc

/// `embedpublic OUTPUT FOLDER FILE...`: writes a Swift source that holds the files, named by their paths in the
/// folder. A build tool, used by the
/// plugin EmbedPublic; no part of pushbox.
@main
enum EmbedPublicTool {
  static func main() {
    guard CommandLine.arguments.count >= 3 else { fail("usage: embedpublic OUTPUT FOLDER FILE...") }
    let folder =
      CommandLine.arguments[2].last == "/" ? CommandLine.arguments[2] : CommandLine.arguments[2] + "/"
    var source = """
      // Made from Public/ by embedpublic.

      /// The files of `Public/`: path in it, a hash of the content, and the content in base64, since a literal
      /// of bytes compiles slowly.
      let embeddedPublicFiles: [(name: String, hash: String, base64: String)] = [

      """
    for path in CommandLine.arguments.dropFirst(3) {
      guard path.hasPrefix(folder) else { fail("\(path) is not in \(folder)") }
      let name = path.dropFirst(folder.count)
      let content = read(path)
      source += "  (\"\(name)\", \"\(hash(content))\", \"\(Base64.encode(content))\"),\n"
    }
    write(CommandLine.arguments[1], source + "]\n")
  }

  private static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { fail("cannot open \(path)") }
    defer { close(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count >= 0 else { fail("cannot read \(path)") }
      guard count > 0 else { return content }
      content.append(contentsOf: buffer[..<count])
    }
  }

  /// FNV-1a of 64 bits: tells one version of a file from the next, for its entity tag.
  private static func hash(_ content: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in content { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  private static func write(_ path: String, _ text: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { fail("cannot write \(path)") }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { fail("cannot write \(path)") }
      rest = rest.dropFirst(count)
    }
  }

  private static func fail(_ text: String) -> Never {
    let line = "embedpublic: \(text): \(String(cString: strerror(errno)))\n"
    _ = line.utf8CString.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    exit(1)
  }
}
