import Glibc
import Testing

@testable import Store

/// A child process that registers and prints what was acknowledged; killed whenever the test likes.
private struct CrashProbe {
  let pid: pid_t
  let output: Int32

  init(folder: String, prefix: String) throws {
    var link = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &link, link.count)
    let products = Folder.parent(of: String(decoding: link.prefix(max(0, length)), as: UTF8.self))
    var pipes: [Int32] = [-1, -1]
    guard pipe(&pipes) == 0 else { throw StoreError.from(errno: errno, operation: "pipe", path: "") }
    // Not inherited by a probe that another test starts, or this one's end would never be seen.
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    let program = products + "/StoreCrashProbe"
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(folder), strdup(prefix), nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, program, &actions, nil, &arguments, environ)
    close(pipes[1])
    guard code == 0 else {
      close(pipes[0])
      throw StoreError.from(errno: code, operation: "starting", path: program)
    }
    self.pid = pid
    output = pipes[0]
  }

  /// Takes the first line; false when the probe ended without one.
  func waitForLine() -> Bool {
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1 {
      if byte == 0x0A { return true }
    }
    return false
  }

  /// Kills the probe after at least `count` lines; every line it ever printed.
  func killAfter(lines count: Int) -> [String] {
    var bytes: [UInt8] = []
    var lines = 0
    var isKilled = count == 0
    if isKilled { kill(pid, SIGKILL) }
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let size = read(output, &chunk, chunk.count)
      guard size > 0 else { break }
      bytes.append(contentsOf: chunk[..<size])
      lines += chunk[..<size].count { $0 == 0x0A }
      if lines >= count, !isKilled {
        kill(pid, SIGKILL)
        isKilled = true
      }
    }
    close(output)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    #expect(isKilled && status & 0x7F == SIGKILL, "the probe ended by itself")
    // A line cut off by the kill was not acknowledged.
    return bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
      .dropLast(bytes.last == 0x0A ? 0 : 1)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct DurabilityTests {
  @Test func whatWasAcknowledgedSurvivesKill() async throws {
    let folder = try TemporaryFolder()
    var acknowledged: [String] = []
    for round in 0..<6 {
      let probe = try CrashProbe(folder: folder.store, prefix: "r\(round)")
      acknowledged += probe.killAfter(lines: Int.random(in: 1...600))
      let fixture = try Fixture(folder)
      let reader = try fixture.store.makeReader()
      for client in acknowledged {
        let record = try reader.lookup(ClientKey(client: client))
        #expect(record?.token == "token-\(client)")
      }
      #expect(try reader.inconsistency() == nil)
      #expect(fixture.warnings.withLock { $0 } == [])
      fixture.store.close()
    }
    #expect(acknowledged.count >= 6)
  }

  /// As long as its slot counts as read, no page that it might look at is used again.
  @Test func whatAKilledCommandReadIsLetGoOf() async throws {
    let folder = try TemporaryFolder()
    let fixture = try Fixture(folder)
    let store = fixture.store
    try await store.register("alice", "t1")
    let probe = try CrashProbe(folder: folder.store, prefix: "-")
    #expect(probe.waitForLine())
    #expect(try store.clearStaleReaders() == 0, "it reads")
    #expect(probe.killAfter(lines: 0) == [])
    let before = store.registrations.environment.spaceInUse().highestPage
    for number in 0..<50 { try await store.register("alice", "token \(number)") }
    let pinned = store.registrations.environment.spaceInUse().highestPage
    #expect(pinned > before + 50, "what it read is kept")
    #expect(try store.clearStaleReaders() == 1)
    for number in 0..<50 { try await store.register("alice", "other token \(number)") }
    #expect(store.registrations.environment.spaceInUse().highestPage == pinned)
  }

  @Test func aToolWorksBesideAServer() async throws {
    let folder = try TemporaryFolder()
    let probe = try CrashProbe(folder: folder.store, prefix: "s")
    var first = [UInt8](repeating: 0, count: 2)
    // One line has come: the store is made.
    #expect(read(probe.output, &first, 2) == 2)
    do {
      let tool = try Fixture(folder) { $0.role = .tool }
      #expect(try tool.lookup("s-0")?.token == "token-s-0")
      try await tool.store.register("by-tool", "tool token")
      #expect(throws: StoreError.locked(path: folder.store, pid: probe.pid)) { try Fixture(folder) }
      #expect(try tool.inconsistency() == nil)
      tool.store.close()
    }
    _ = probe.killAfter(lines: 1)
    let fixture = try Fixture(folder)
    #expect(try fixture.lookup("by-tool")?.token == "tool token")
    #expect(try fixture.inconsistency() == nil)
  }
}
