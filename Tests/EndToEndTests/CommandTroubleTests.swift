import Glibc
import MockRelay
import TestSupport
import Testing

/// Commands that come in each other's way, in the server's, or find no room.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct CommandTroubleTests {
  private static let isRoot = geteuid() == 0

  /// An import that has read one line, which it refused, and waits for more.
  private func waitingImport(_ appliance: Appliance) throws -> (process: ChildProcess, pipe: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = try ChildProcess(
      "pushbox", ["import", "/proc/self/fd/3", "--format", "jsonl", "--config", appliance.settings.path],
      descriptors: [ends[0]])
    try #require(write(ends[1], "nonsense\n", 9) == 9)
    try #require(process.waitForOutput("line 1 "), "\(process.text)")
    return (process, ends[1])
  }

  @Test func nothingTakesTheStoreFromUnderACommand() throws {
    let appliance = try Appliance()
    _ = try appliance.registered()
    let backup = appliance.folder.path + "/backup"
    #expect(try appliance.command("backup", backup).status == 0)
    let (process, pipe) = try waitingImport(appliance)
    #expect(appliance.end(SIGTERM) == 0)
    for command in [["rotate-key"], ["restore", "--force", backup]] {
      let refused = try appliance.command(command)
      #expect(refused.status == 1 && refused.text.contains("wait until it has ended"), "\(refused.text)")
    }
    let data = appliance.folder.path + "/data"
    #expect(access(data + "/token.key.new", F_OK) != 0)
    let line =
      "{\"client_id\":\"imported\",\"type\":\"fcm\",\"token\":\"a-token\",\"updated_at\":1700000000000}\n"
    #expect(write(pipe, line, line.utf8.count) == line.utf8.count)
    close(pipe)
    #expect(process.waitForOutput("1 stored"), "\(process.text)")
    #expect(process.wait() == 1, "one line was refused")
    #expect(try appliance.command("rotate-key").text.contains("sealed 2 registrations"))
    try appliance.restart()
    #expect(try appliance.command("verify").status == 0)
  }

  /// JSON lines of that many registrations, 4 KB each.
  private func manyRegistrations(_ count: Int, in appliance: Appliance) throws -> String {
    let padding = String(repeating: "x", count: 3900)
    var text = ""
    for number in 0..<count {
      text +=
        "{\"client_id\":\"many-\(number)\",\"type\":\"fcm\",\"token\":\"\(padding)\(number)\","
        + "\"updated_at\":1700000000000}\n"
    }
    try appliance.folder.write("many.jsonl", text)
    return appliance.folder.path + "/many.jsonl"
  }

  /// Not within the largest that the store ever had.
  @Test func anImportStaysWithinTheServersMap() throws {
    let appliance = try Appliance { $0.store = "map_size = \"64MiB\"" }
    let wallet = try appliance.registered()
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.configure { $0.replacing("64MiB", with: "1MiB") }
    try appliance.restart()
    let file = try manyRegistrations(1000, in: appliance)
    let refused = try appliance.command("import", file)
    #expect(refused.status == 1)
    #expect(refused.text.contains("stopped before line") && refused.text.contains("raise store.map_size"))
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(try appliance.client().send("DELETE", "/clients/\(wallet.clientID)").status == 200)
  }

  /// One with a larger map than the server's: the server cannot see what is beyond its own, and is started anew.
  @Test func aStoreThatOutgrewTheServersMapIsOpenedAnew() throws {
    let appliance = try Appliance { $0.store = "map_size = \"1MiB\"" }
    let wallet = try appliance.registered()
    let file = try manyRegistrations(1000, in: appliance)
    try appliance.configure { $0.replacing("1MiB", with: "64MiB") }
    let imported = try appliance.command("import", file)
    #expect(imported.status == 0 && imported.text.contains("1000 stored"), "\(imported.text)")
    // The server still runs with what it started with.
    let refused = try? appliance.push(wallet.clientID, Appliance.raw("1"))
    #expect(refused == nil || refused?.status == 503, "\(refused?.text ?? "")")
    #expect(appliance.waitForEnd() == 1)
    #expect(appliance.log.contains("made the store in"), "\(appliance.log)")
    #expect(appliance.log.contains("for the service manager to start pushbox anew"))
    for size in ["1MiB", "64MiB"] {
      try appliance.configure { $0.replacing("1MiB", with: size) }
      try appliance.restart()
      #expect(try appliance.registrations() == 1001)
      #expect(try appliance.push(wallet.clientID, Appliance.raw(size)).status == 202)
      let more = try appliance.register("more", token: Appliance.apnsToken())
      #expect(more.status == (size == "1MiB" ? 503 : 200), "\(more.text)")
      #expect(appliance.end(SIGTERM) == 0)
    }
  }

  @Test(.enabled(if: isRoot, "not root: commands on a full disk are NOT tested"))
  func aFullDiskIsNamedAndNothingHalfDoneIsLeft() throws {
    let appliance = try Appliance()
    _ = try appliance.registered()
    let client = appliance.client()
    for number in 0..<100 {
      let token = String(repeating: "x", count: 3900) + "\(number)"
      #expect(try appliance.register("long-\(number)", type: "fcm", token: token, over: client).status == 200)
    }
    let disk = try SmallDisk(size: "128k")
    for command in [["backup"], ["export", "--output"]] {
      let refused = try appliance.command(command + [disk.path + "/copy"])
      #expect(refused.status == 1, "\(command)")
      #expect(
        refused.text.contains(disk.path) && refused.text.lowercased().contains("no space left"),
        "\(refused.text)")
      #expect(Files.names(in: disk.path) == [], "\(command)")
    }
    let process = try ChildProcess(
      "/bin/sh",
      ["-c", "exec \"$0\" export --config \"$1\" > /dev/full", ChildProcess.products + "/pushbox"]
        + [appliance.settings.path])
    _ = process.waitForOutput("\u{0}")
    #expect(process.wait() == 1)
    #expect(process.text.contains("writing standard output: No space left"), "\(process.text)")
    // A restore to a disk that has no room for both leaves what was there.
    let backup = appliance.folder.path + "/backup"
    #expect(try appliance.command("backup", backup).status == 0)
    #expect(appliance.end(SIGTERM) == 0)
    let small = try SmallDisk(size: "640k")
    try appliance.configure {
      $0.replacing(
        "path = \"data\"", with: "path = \"\(small.path)/data\"\ntoken_key_file = \"data/token.key\"")
    }
    let first = try appliance.command("restore", backup)
    #expect(first.status == 0, "\(first.text)")
    let second = try appliance.command("restore", "--force", backup)
    #expect(second.status == 1 && second.text.contains("no space left"), "\(second.text)")
    #expect(Set(Files.names(in: small.path + "/data") ?? []) == ["registrations", "serve.lock"])
    let verified = try appliance.command("verify")
    #expect(verified.status == 0 && verified.text.contains("101 registrations"), "\(verified.text)")
  }
}
