import EventLoop
import Glibc

/// One line on a terminal that says how far an import is; nothing elsewhere.
struct ImportProgress {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let size: Int?
  private var read = 0
  private var lastShown = MonotonicTime.now()

  init(size: Int?) {
    self.size = size
  }

  mutating func advance(_ bytes: Int, registrations: Int) {
    read += bytes
    guard isTerminal, MonotonicTime.now() - lastShown > .milliseconds(100) else { return }
    lastShown = .now()
    guard let size, size > 0 else { return Terminal.showProgress("\(registrations) registrations") }
    let share = min(1, Double(read) / Double(size))
    let filled = Int(share * Double(Self.width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    Terminal.showProgress("[\(bar)] \(Int(share * 100)) %  \(registrations) registrations")
  }

  /// Makes room for another line.
  func clear() {
    if isTerminal { Terminal.showProgress("") }
  }

  func end() { clear() }
}
