import Glibc
import JSON
import TestSupport
import Testing

@testable import pushbox

/// `pushbox reload`, which `systemctl reload` runs: it waits, and says what came of it.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ReloadCommandTests {
  private func line(of text: String, in content: String) throws -> Int {
    let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.hasPrefix(text) }) + 1
  }

  @Test func itTellsWhatChanged() throws {
    let appliance = try Appliance()
    let unchanged = try appliance.command("reload")
    #expect(unchanged.status == 0)
    #expect(unchanged.text == "reloaded: nothing is other than before\n")
    let text = appliance.settings.text.replacing("[push]", with: "[push]\nttl_s = 61")
      .replacing("level = \"debug\"", with: "level = \"info\"")
    try appliance.folder.write("config.toml", text)
    try appliance.folder.write(
      "service-account.json",
      String(decoding: try appliance.gateway.addServiceAccountKey(.generate(), id: "another"), as: UTF8.self))
    let changed = try appliance.command("reload")
    #expect(changed.status == 0)
    let place = "\(appliance.settings.path):\(try line(of: "ttl_s", in: text)):9"
    #expect(changed.text.contains("  push.ttl_s: "), "\(changed.text)")
    #expect(changed.text.contains(" -> 61 (\(place))\n"), "\(changed.text)")
    #expect(changed.text.contains("  log.level: \"debug\" -> \"info\" ("), "\(changed.text)")
    #expect(changed.text.contains("/service-account.json: new content\n"), "\(changed.text)")
    #expect(changed.text.split(separator: "\n").count == 4, "\(changed.text)")
    #expect(appliance.waitForLog(" changes=3 attempt=2\n"), "\(appliance.log)")
  }

  @Test func aSecretThatChangedIsNotShown() throws {
    let appliance = try Appliance()
    let token = "metrics-token-that-is-long-enough-1"
    try appliance.configure { $0 + "\n[metrics]\ntoken = \"\(token)\"\n" }
    let added = try appliance.command("reload")
    #expect(added.status == 0 && added.text.contains("metrics.token: - -> \"<redacted>\""), "\(added.text)")
    try appliance.configure { $0 + "\n[metrics]\ntoken = \"\(token)2\"\n" }
    let changed = try appliance.command("reload", "--json")
    #expect(changed.status == 0 && !changed.text.contains(token), "\(changed.text)")
    let json = try JSON.parse(Array(changed.text.utf8))
    #expect(json["reloaded"]?.boolValue == true)
    #expect(json["changes"]?[0]?.stringValue?.hasPrefix("metrics.token: another value (") == true)
  }

  @Test func aBrokenFileIsRefusedWithEveryProblem() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let text = appliance.settings.text.replacing("[push]", with: "[push]\ndeadline_ms = \"never\"\nttl = 5")
    try appliance.folder.write("config.toml", text)
    let refused = try appliance.command("reload")
    #expect(refused.status == 2)
    #expect(refused.text.hasPrefix("not reloaded, the configuration that was in effect goes on:\n"))
    let line = try line(of: "deadline_ms", in: text)
    #expect(refused.text.contains("config.toml:\(line):15: push.deadline_ms: "), "\(refused.text)")
    #expect(refused.text.contains("config.toml:\(line + 1):1: push.ttl: "), "\(refused.text)")
    // Nothing in it can be read: the server is reached all the same.
    for broken in ["[server\n", ""] {
      try appliance.folder.write("config.toml", broken)
      #expect(try appliance.command("reload").status == 2)
    }
    #expect(unlink(appliance.settings.path) == 0)
    let json = try appliance.command("reload", "--json")
    #expect(json.status == 2)
    #expect(try JSON.parse(Array(json.text.utf8))["problems"]?.arrayValue?.isEmpty == false, "\(json.text)")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    // What needs a restart is refused as well, and named.
    for (key, line) in [
      ("store.path", "path = \"elsewhere\""), ("store.map_size", "path = \"data\"\nmap_size = \"1GiB\""),
      ("store.deliveries_map_size", "path = \"data\"\ndeliveries_map_size = \"1GiB\""),
      ("store.delivered_days", "path = \"data\"\ndelivered_days = 5"),
    ] {
      try appliance.configure { $0.replacing("path = \"data\"", with: line) }
      let restart = try appliance.command("reload")
      #expect(restart.status == 2 && restart.text.contains("cannot change while serving"), "\(restart.text)")
      #expect(restart.text.contains("\(key) ("), "\(restart.text)")
    }
    try appliance.settings.write()
    #expect(try appliance.command("reload").status == 0)
  }

  @Test func eachServerIsReachedByItsOwnFile() throws {
    let first = try Appliance()
    let second = try Appliance()
    #expect(try first.command("reload").status == 0)
    #expect(first.waitForLog(" attempt=1\n") && !second.log.contains(" attempt=1\n"))
    // By another name of the same folder.
    let link = second.folder.path + "/link"
    #expect(symlink(first.folder.path, link) == 0)
    #expect(try reload(link + "/config.toml").status == 0)
    #expect(first.waitForLog(" attempt=2\n"))
    // A server that was killed leaves nothing that another start trips over.
    _ = first.end(SIGKILL)
    let gone = try first.command("reload")
    #expect(gone.status == 1 && gone.text.contains("no server runs with "), "\(gone.text)")
    try first.restart()
    #expect(try first.command("reload").status == 0)
    #expect(first.end(SIGTERM) == 0)
    #expect(try first.command("reload").status == 1)
  }

  @Test func onlyTheServicesOwnProcessCountsForSystemd() throws {
    let appliance = try Appliance()
    let other = try reload(appliance.settings.path, environment: ["MAINPID=\(getpid())"])
    #expect(
      other.status == 1 && other.text.contains("not the service's process \(getpid())"), "\(other.text)")
    #expect(try reload(appliance.settings.path, environment: ["MAINPID=\(appliance.processID)"]).status == 0)
  }

  /// Needs the right to become another user.
  @Test(.enabled(if: geteuid() == 0)) func strangersNeitherAskNorAnswer() throws {
    let appliance = try Appliance()
    let name = ReloadChannel.address(of: appliance.settings.path).dropFirst()
    let asking = try stranger(
      "socket($s, AF_UNIX, SOCK_STREAM, 0); connect($s, $a) or die; my $got = <$s>; "
        + "print defined $got ? $got : 'none';", String(name))
    _ = asking.waitForOutput("\u{0}")
    #expect(asking.wait() == 0 && asking.text == "none", "\(asking.text)")
    #expect(!appliance.log.contains("attempt="))
    // One who takes the name while no server has it.
    #expect(appliance.end(SIGTERM) == 0)
    #expect(chmod(appliance.settings.path, 0o600) == 0)
    let answering = try stranger(
      "socket($s, AF_UNIX, SOCK_STREAM, 0); bind($s, $a) && listen($s, 5) or die; print qq(listening\\n); "
        + "while (accept(my $c, $s)) { print $c qq({\"reloaded\":true}); close $c; }", String(name))
    #expect(answering.waitForOutput("listening\n"), "\(answering.text)")
    let misled = try appliance.command("reload")
    #expect(misled.status == 1 && misled.text.contains("it is no server of yours"), "\(misled.text)")
    // It does not keep the server from its work.
    try appliance.restart()
    #expect(appliance.waitForLog("`pushbox reload` does not reach this server"), "\(appliance.log)")
    #expect(appliance.reload(1))
    answering.kill(SIGKILL)
  }

  private func reload(
    _ file: String, environment: [String] = []
  ) throws -> (status: Int32, text: String) {
    let process = try ChildProcess("pushbox", ["reload", "--config", file], environment: environment)
    _ = process.waitForOutput("\u{0}")
    return (process.wait(), process.text)
  }

  /// A program of another user, with the address `$a` of that name in the abstract namespace.
  private func stranger(_ program: String, _ name: String) throws -> ChildProcess {
    try ChildProcess(
      "/usr/bin/setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/perl", "-MSocket", "-e",
        "$| = 1; my $a = pack_sockaddr_un(qq(\\0) . shift); my $s; \(program)", name,
      ])
  }
}
