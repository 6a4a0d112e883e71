import Bytes
import Glibc

/// The processes that are to end with this one, whatever still refers to them then: a thread that is detached, or
/// a value that `exit` leaves behind.
enum RunningChildren {
  private static let running = Locked<Set<pid_t>>([])
  private static let killsAtExit: Bool = {
    atexit { RunningChildren.killAll() }
    return true
  }()

  static func note(_ pid: pid_t) {
    _ = killsAtExit
    running.withLock { _ = $0.insert(pid) }
  }

  static func forget(_ pid: pid_t) {
    running.withLock { _ = $0.remove(pid) }
  }

  private static func killAll() {
    for pid in running.withLock({ $0 }) { kill(pid, SIGKILL) }
  }
}
