import EventLoop
import Glibc
import Store

/// One line on a terminal that says how far long work is; nothing elsewhere.
struct ProgressBar {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var total: Int?
  private var done = 0
  private var lastShown: MonotonicTime?

  /// - Parameter total: of the work, in any unit; nil when it is not known.
  init(total: Int?) {
    self.total = total
  }

  /// - Parameter text: stands behind the bar.
  mutating func advance(_ part: Int, _ text: @autoclosure () -> String) {
    done += part
    guard isTerminal else { return }
    let now = MonotonicTime.now()
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    guard let total, total > 0 else { return Terminal.showProgress(text()) }
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(Self.width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    Terminal.showProgress("[\(bar)] \(Int(share * 100)) %  \(text())")
  }

  /// Work on the store, whose whole size is told with each part.
  mutating func show(_ progress: StoreProgress) {
    switch progress {
    case .copied(let bytes, let all):
      (done, total) = (bytes, all)
      advance(0, "\(bytes >> 20) MiB copied")
    case .registrations(let count, let all):
      (done, total) = (count, all)
      advance(0, "\(count) registrations")
    }
  }

  /// Takes the line away: the work has ended, or another line is to be printed.
  mutating func clear() {
    if lastShown != nil { Terminal.showProgress("") }
    lastShown = nil
  }
}
