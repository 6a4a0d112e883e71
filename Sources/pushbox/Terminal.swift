import Glibc

/// Text for whoever started the command.
enum Terminal {
  static func print(_ text: String) {
    write(text + "\n", to: STDOUT_FILENO)
  }

  static func printError(_ text: String) {
    write(text + "\n", to: STDERR_FILENO)
  }

  /// Shows a line on standard error that the next one overwrites.
  static func showProgress(_ text: String) {
    // Carriage return, and ECMA-48 "erase in line".
    write("\r\u{1B}[K" + text, to: STDERR_FILENO)
  }

  private static func write(_ text: String, to file: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBufferPointer { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // Nobody reads any more: there is nobody to tell.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
