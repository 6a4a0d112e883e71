import Glibc
import TOML

/// `toml-decoder`: TOML on standard input, tagged JSON on standard output, as the public toml-test suite runs
/// a decoder. Exits with 1 and a message on standard error when the input is no TOML 1.0.0.
@main
enum TOMLDecoder {
  static func main() {
    guard let text = readAll(STDIN_FILENO) else { fail("can't read standard input") }
    do {
      let table = try TOMLDocument.parse(text)
      var out: [UInt8] = []
      TaggedJSON.append(table, to: &out)
      out.append(UInt8(ascii: "\n"))
      guard writeAll(out, to: STDOUT_FILENO) else { fail("can't write standard output") }
    } catch {
      fail(error.rendering(file: "stdin"))
    }
  }

  private static func fail(_ message: String) -> Never {
    _ = writeAll(Array("toml-decoder: \(message)\n".utf8), to: STDERR_FILENO)
    exit(1)
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8]? {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count > 0 {
        content += chunk[..<count]
      } else if errno != EINTR {
        return nil
      }
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno != EINTR {
        return false
      }
    }
    return true
  }
}
