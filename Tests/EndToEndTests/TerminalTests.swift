import Glibc
import TestSupport
import Testing

/// What is for a terminal only: progress and colour. script(1), which every Debian has, is the terminal.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct TerminalTests {
  private static let eraseLine = "\r\u{1B}[K"

  private static let hasTerminals: Bool = {
    let process = try? ChildProcess(
      "/usr/bin/script", ["--quiet", "--return", "--command", "true", "/dev/null"])
    return process?.wait() == 0
  }()
  private static let without: Comment = "no pseudo-terminals: what a terminal shows is NOT tested"

  /// Runs a command on a terminal; all that was shown.
  private func onTerminal(
    _ appliance: Appliance, _ arguments: String, environment: [String] = ["TERM=xterm"]
  ) throws -> (status: Int32, text: String) {
    let command = "\(ChildProcess.products)/pushbox \(arguments) --config \(appliance.settings.path)"
    let process = try ChildProcess(
      "/usr/bin/script", ["--quiet", "--return", "--command", command, "/dev/null"],
      environment: ["PATH=/usr/bin:/bin"] + environment)
    _ = process.waitForOutput("\u{0}")
    return (process.wait(), process.text)
  }

  @Test(.enabled(if: hasTerminals, without)) func longWorkShowsHowFarItIs() throws {
    let appliance = try Appliance()
    for _ in 0..<3 { _ = try appliance.registered() }
    let folder = appliance.folder.path
    let work = [
      "export --output \(folder)/export.jsonl", "import \(folder)/export.jsonl", "verify",
      "backup \(folder)/backup", "restore --force \(folder)/backup", "rotate-key",
    ]
    for (index, arguments) in work.enumerated() {
      // The last two want it stopped.
      if index == 4 { #expect(appliance.end(SIGTERM) == 0) }
      let shown = try onTerminal(appliance, arguments)
      #expect(shown.status == 0, "\(shown.text)")
      #expect(shown.text.contains(Self.eraseLine + "["), "\(arguments): \(shown.text)")
      #expect(shown.text.contains(" %  "), "\(arguments): \(shown.text)")
      // It is gone before anything else is said.
      let said = try #require(shown.text.split(separator: Self.eraseLine).last)
      #expect(
        !said.contains("%") && (said.contains("registrations") || said.contains("stored")), "\(shown.text)")
    }
    // The same in a pipe, without a trace of it.
    for arguments in [["verify"], ["backup", folder + "/another"], ["export"], ["rotate-key"]] {
      let piped = try appliance.command(arguments)
      #expect(
        piped.status == 0 && !piped.text.contains("\u{1B}") && !piped.text.contains("\r"), "\(piped.text)")
    }
  }

  @Test(.enabled(if: hasTerminals, without)) func colourIsForTerminalsThatShowIt() throws {
    let appliance = try Appliance()
    #expect(try onTerminal(appliance, "check").text.contains("\u{1B}[32m"))
    for environment in [["TERM=xterm", "NO_COLOR=1"], ["TERM=dumb"]] {
      let plain = try onTerminal(appliance, "check", environment: environment)
      #expect(!plain.text.contains("\u{1B}") && plain.text.contains("configuration"), "\(plain.text)")
    }
  }
}
