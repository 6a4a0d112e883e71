import Glibc
import TOML

/// `tomlparse FILE COUNT`: parses a file `COUNT` times in this process and prints the least processor time in
/// nanoseconds: what other programs do meanwhile does not count.
@main
enum TOMLParse {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let count = Int(arguments[2]), count > 0, let text = read(arguments[1]) else {
      fail("Usage: tomlparse FILE COUNT")
    }
    var best = UInt64.max
    for _ in 0..<count {
      let start = processorTime()
      guard (try? TOMLDocument.parse(text)) != nil else {
        fail("tomlparse: \(arguments[1]) is no TOML")
      }
      best = min(best, processorTime() - start)
    }
    print(best)
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func fail(_ text: String) -> Never {
    let bytes = Array((text + "\n").utf8)
    write(STDERR_FILENO, bytes, bytes.count)
    exit(2)
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return text }
      text += chunk[..<count]
    }
  }
}
