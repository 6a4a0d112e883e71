import Bytes
import EventLoop

/// Feeds systemd's watchdog (sd_watchdog_enabled(3)) for as long as every loop turns: one that hangs gets no
/// beat, and systemd starts the service anew.
final class Watchdog {
  private let watched: [EventLoop]
  private let interval: Duration
  private let beat: () -> Void
  /// How many of the watched loops have turned since the last beat.
  private let answers = Locked(0)

  /// nil when systemd does not ask for it.
  ///
  /// - Parameter beat: tells systemd.
  init?(
    _ environment: [String: String], watching loops: [EventLoop], process: Int32, beat: @escaping () -> Void
  ) {
    guard let timeout = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), timeout > 0 else { return nil }
    // Meant for another process when it is not ours.
    if let pid = environment["WATCHDOG_PID"], pid != String(process) { return nil }
    watched = loops
    // Often enough that one late beat does no harm.
    interval = .microseconds(timeout) / 3
    self.beat = beat
  }

  /// Begins on `loop`, which the timer watches by itself.
  func start(on loop: EventLoop) {
    ask()
    schedule(loop)
  }

  private func schedule(_ loop: EventLoop) {
    loop.schedule(after: interval) { [self] in
      if answers.withLock({ $0 }) >= watched.count {
        beat()
        ask()
      }
      schedule(loop)
    }
  }

  private func ask() {
    answers.withLock { $0 = 0 }
    for loop in watched {
      loop.execute { [answers] in answers.withLock { $0 += 1 } }
    }
  }
}
