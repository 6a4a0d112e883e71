import EventLoop
import Glibc

/// One line on a terminal that says how far long work is; nothing elsewhere.
struct ProgressBar {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let total: Int?
  private var done = 0
  private var lastShown = MonotonicTime.now()

  /// - Parameter total: of the work, in any unit; nil when it is not known.
  init(total: Int?) {
    self.total = total
  }

  /// - Parameter text: stands behind the bar.
  mutating func advance(_ part: Int, _ text: @autoclosure () -> String) {
    done += part
    guard isTerminal, MonotonicTime.now() - lastShown > .milliseconds(100) else { return }
    lastShown = .now()
    guard let total, total > 0 else { return Terminal.showProgress(text()) }
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(Self.width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    Terminal.showProgress("[\(bar)] \(Int(share * 100)) %  \(text())")
  }

  /// Takes the line away: the work has ended, or another line is to be printed.
  func clear() {
    if isTerminal { Terminal.showProgress("") }
  }
}
