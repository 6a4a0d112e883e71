import EventLoop

/// `pushbox reload`: has the running server read its configuration anew, and says what came of it.
enum ReloadCommand {
  static let command = Command(
    name: "reload", summary: "have the running server read its configuration anew, and say what changed",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox reload [--json] [--config FILE]

        Has the server that runs with FILE read it and its key files anew, waits, and prints what
        changed, or every problem with file, line and column: then the configuration that was in effect
        goes on. Run it as the server's user or as root.
        Exit status: 0 in effect, 1 no server or no answer, 2 the configuration cannot be used.

          --json   print {"reloaded", "changes": [...], "warnings": [...], "problems": [...]}
        """, options: ["config"], flags: ["json"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      let source = ConfigurationOption.source(arguments)
      guard let file = source.file else {
        Terminal.printError(
          "error: there is no \(ConfigurationOption.defaultFile): name the server's configuration with --config"
        )
        return 2
      }
      do throws(ReloadChannel.Failure) {
        // Set by systemd for ExecReload=.
        let process = source.environment["MAINPID"].flatMap { Int32($0) }
        let outcome = try ReloadChannel.ask(file: file, process: process)
        if arguments.flags.contains("json") { Terminal.print(outcome.json) } else { report(outcome) }
        return outcome.isDone ? 0 : 2
      } catch {
        Terminal.printError("error: \(error.description)")
        return 1
      }
    }
  }

  private static func report(_ outcome: ReloadOutcome) {
    for warning in outcome.warnings { Terminal.printError("warning: \(warning)") }
    guard outcome.isDone else {
      Terminal.printError("not reloaded, the configuration that was in effect goes on:")
      for problem in outcome.problems { Terminal.printError("  \(problem)") }
      return
    }
    let count = outcome.changes.count
    Terminal.print(count == 0 ? "reloaded: nothing is other than before" : "reloaded:")
    for change in outcome.changes { Terminal.print("  \(change)") }
  }
}
