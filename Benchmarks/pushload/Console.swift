import Glibc

/// Lines for whoever started the process.
enum Console {
  static func print(_ line: String) {
    write(line, to: STDOUT_FILENO)
  }

  static func printError(_ line: String) {
    write(line, to: STDERR_FILENO)
  }

  private static func write(_ line: String, to file: Int32) {
    let bytes = Array((line + "\n").utf8)
    // When nobody reads any more, there is nobody to tell.
    _ = Glibc.write(file, bytes, bytes.count)
  }
}
