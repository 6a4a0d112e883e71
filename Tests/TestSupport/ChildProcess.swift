import Bytes
import EventLoop
import Glibc
import Testing

/// A program of this package, run as a process of its own; killed with its last reference.
public final class ChildProcess: Sendable {
  private struct Output {
    var text = ""
    var hasEnded = false
    var waiters: [(pattern: String, deadline: MonotonicTime, rendezvous: Rendezvous<Bool>)] = []
  }
  private let pid: pid_t
  /// For `/proc`.
  public var processID: Int32 { pid }
  private let output = Locked(Output())
  private let status = Locked<Int32?>(nil)
  /// Given when the output is to be read again; nil while it is read.
  private let hold = Locked<Rendezvous<Void>?>(nil)
  private let reader: SystemThread

  /// The folder of the built programs: that of the test bundle, which runs as itself or by its argument
  /// within a helper of the toolchain.
  public static var products: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments.first ?? ""
    return String(bundle.prefix(upTo: bundle.lastIndex(of: "/") ?? bundle.startIndex))
  }

  /// What `scripts/sanitize.sh` sets for the tests holds for their children too.
  private static let sanitizerVariables: [String] = {
    let names: [String] = ["ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"]
    return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
  }()

  /// Starts `program` (a product's name, or a whole path) with exactly these variables, and a sanitizer's; its
  /// standard output and error are collected.
  ///
  /// - Parameter descriptors: given to it from 3 on, as a service manager passes sockets.
  public init(
    _ program: String, _ arguments: [String], environment: [String] = ["PATH=/usr/bin:/bin"],
    descriptors: [Int32] = []
  ) throws {
    var ends: [Int32] = [0, 0]
    guard pipe2Cloexec(&ends) else { throw TestSupportError("pipe: \(String(cString: strerror(errno)))") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    // Out of the way of those that they are to become.
    let passed = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    defer { for descriptor in passed { close(descriptor) } }
    for (index, descriptor) in passed.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, 3 + Int32(index))
    }
    let path = program.hasPrefix("/") ? program : Self.products + "/" + program
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] =
      (environment + Self.sanitizerVariables).map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, nil, &argv, &envp)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw TestSupportError("\(path): \(String(cString: strerror(code)))")
    }
    self.pid = pid
    RunningChildren.note(pid)
    let input = ends[0]
    reader = try SystemThread(name: "child-output") { [output, hold] in
      Self.collect(input, output, hold)
    }
  }

  deinit {
    _ = kill(SIGKILL)
    _ = wait()
    readOutput()
    reader.join()
    // A sanitizer's report in the child would otherwise go by unseen.
    let text = self.text
    for sanitizer in ["AddressSanitizer", "ThreadSanitizer", "LeakSanitizer"] where text.contains(sanitizer) {
      Issue.record("\(sanitizer) reported in a child process:\n\(text.suffix(8000))")
    }
  }

  /// What it printed up to now.
  public var text: String { output.withLock { $0.text } }

  /// Waits until it has printed `pattern`; false when it ended without, or did not within a minute.
  public func waitForOutput(_ pattern: String) -> Bool {
    let rendezvous = Rendezvous<Bool>()
    output.withLock { output in
      if output.text.contains(pattern) {
        rendezvous.give(true)
      } else if output.hasEnded {
        rendezvous.give(false)
      } else {
        output.waiters.append((pattern, .now() + .seconds(60), rendezvous))
      }
    }
    return rendezvous.wait()
  }

  /// Leaves what it prints in the pipe, which then fills, until `readOutput`.
  public func holdOutput() {
    hold.withLock { if $0 == nil { $0 = Rendezvous() } }
  }

  public func readOutput() {
    let held = hold.withLock { hold -> Rendezvous<Void>? in
      defer { hold = nil }
      return hold
    }
    held?.give(())
  }

  @discardableResult
  public func kill(_ signal: Int32) -> Bool {
    status.withLock { $0 == nil && Glibc.kill(pid, signal) == 0 }
  }

  /// Waits for its end: the exit status, or 128 and the signal.
  public func wait() -> Int32 {
    if let status = status.withLock({ $0 }) { return status }
    var raw: Int32 = 0
    while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
    let code = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    status.withLock { $0 = code }
    RunningChildren.forget(pid)
    return code
  }

  /// The same, but no longer than `limit`: then it is killed, and the answer is nil.
  public func wait(upTo limit: Duration) -> Int32? {
    var ends: [Int32] = [0, 0]
    guard pipe2Cloexec(&ends) else { return wait() }
    let (input, output) = (ends[0], ends[1])
    let watcher = try? SystemThread(name: "child-end") { [pid] in
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
      close(output)
    }
    var end = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    let hasEnded = watcher != nil && poll(&end, 1, Int32(clamping: limit.wholeMilliseconds)) > 0
    if !hasEnded { kill(SIGKILL) }
    let status = wait()
    if let watcher { watcher.join() } else { close(output) }
    close(input)
    return hasEnded ? status : nil
  }

  /// Whether it has ended by now.
  public var hasEnded: Bool {
    if status.withLock({ $0 != nil }) { return true }
    var info = siginfo_t()
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_signo == SIGCHLD
  }

  private static func collect(
    _ input: Int32, _ output: Locked<Output>, _ hold: Locked<Rendezvous<Void>?>
  ) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var pending: [UInt8] = []
    while true {
      var readable = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      if poll(&readable, 1, 500) == 0 {
        output.withLock { output in
          output.waiters.removeAll { waiter in
            guard waiter.deadline < .now() else { return false }
            waiter.rendezvous.give(false)
            return true
          }
        }
        continue
      }
      hold.withLock { $0 }?.wait()
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pending.append(contentsOf: buffer[..<count])
      // Whole lines only, so that no character is cut.
      guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      let lines = String(decoding: pending[...end], as: UTF8.self)
      pending.removeSubrange(...end)
      output.withLock { output in
        output.text += lines
        let text = output.text
        output.waiters.removeAll { waiter in
          guard text.contains(waiter.pattern) else { return false }
          waiter.rendezvous.give(true)
          return true
        }
      }
    }
    close(input)
    output.withLock { output in
      output.text += String(decoding: pending, as: UTF8.self)
      output.hasEnded = true
      for waiter in output.waiters { waiter.rendezvous.give(output.text.contains(waiter.pattern)) }
      output.waiters = []
    }
  }
}

/// A pipe that other children do not inherit; else one of them would keep it open.
private func pipe2Cloexec(_ ends: inout [Int32]) -> Bool {
  guard pipe(&ends) == 0 else { return false }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return true
}
