import EventLoop
import Glibc

/// Text for whoever started the command.
enum Terminal {
  enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
  }

  static func print(_ text: String) {
    write(text + "\n", to: STDOUT_FILENO)
  }

  static func printError(_ text: String) {
    write(text + "\n", to: STDERR_FILENO)
  }

  /// `text` in a colour, when standard output is a terminal that shows it and NO_COLOR (no-color.org) is not
  /// set.
  static func paint(_ text: String, _ colour: Colour) -> String {
    showsColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  private static let showsColour: Bool = {
    let environment = ProcessEnvironment.all()
    return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }()

  /// Shows a line on standard error that the next one overwrites.
  static func showProgress(_ text: String) {
    // Carriage return, and ECMA-48 "erase in line".
    write("\r\u{1B}[K" + text, to: STDERR_FILENO)
  }

  /// Shows a question on standard error; the answer follows on the same line.
  static func showPrompt(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  private static func write(_ text: String, to file: Int32) {
    // False when nobody reads any more: there is nobody to tell.
    _ = write(Array(text.utf8)[...], to: file)
  }

  /// False, with `errno`, when not all of it could be written.
  static func write(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBufferPointer { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
