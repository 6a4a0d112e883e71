import CLinux
import Glibc

/// Signals as events of a loop, through signalfd.
public final class SignalSource: IOHandler {
  private let loop: EventLoop
  private let fd: Int32
  private var registration: EventLoop.Registration?
  private let onSignal: (Int32) -> Void

  /// Keeps `signals` from their default action in this thread and every thread it starts afterwards, so
  /// call it before any thread starts. SIGPIPE is ignored besides: a broken connection is an error code.
  public static func block(_ signals: [Int32]) {
    var set = makeSet(signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Gives `signals` their default action again in this thread, so that a second SIGINT ends a process that
  /// is still shutting down.
  public static func unblock(_ signals: [Int32]) {
    var set = makeSet(signals)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Calls `onSignal` on the loop for each of `signals`, which must have been blocked.
  public init(loop: EventLoop, signals: [Int32], onSignal: @escaping (Int32) -> Void) throws(SystemError) {
    self.loop = loop
    self.onSignal = onSignal
    var set = Self.makeSet(signals)
    fd = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    guard fd >= 0 else { throw SystemError(call: "signalfd") }
    registration = try loop.addDescriptor(fd, .readable, self)
  }

  deinit {
    close(fd)
  }

  /// Stops listening.
  public func cancel() {
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
  }

  func ioReady(_ events: IOEvents) {
    var info = signalfd_siginfo()
    while read(fd, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
      onSignal(Int32(info.ssi_signo))
    }
  }

  private static func makeSet(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
