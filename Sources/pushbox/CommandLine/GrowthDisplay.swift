import Bytes
import EventLoop
import Glibc
import Store

/// A progress bar for a file that one blocking call writes: looks at its size from a thread of its own.
final class GrowthDisplay: Sendable {
  private let isOver = Locked(false)
  private let watcher: SystemThread?

  /// - Parameter total: the file's size in the end, in bytes.
  init(of file: NewFile, total: UInt64) {
    guard isatty(STDERR_FILENO) == 1 else {
      watcher = nil
      return
    }
    watcher = try? SystemThread(name: "progress") { [isOver] in
      var bar = ProgressBar(total: nil)
      repeat {
        bar.show(.copied(file.size, of: Int(clamping: total)))
        usleep(100_000)
      } while !isOver.withLock { $0 }
      bar.clear()
    }
  }

  /// Takes the line away.
  func end() {
    isOver.withLock { $0 = true }
    watcher?.join()
  }
}
