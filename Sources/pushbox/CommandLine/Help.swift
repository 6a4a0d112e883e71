/// What `pushbox help` prints.
enum Help {
  static let about =
    "pushbox: a push server for crypto wallets, between the WalletConnect relay and APNs and FCM"

  static let exitStatus = """
    0 done, 1 failed, 2 wrong usage or configuration. check: 0 good, 1 warnings with --strict, 2 errors.
    health: 0 healthy, 1 not.
    """

  static let text = """
    \(about)

    Usage: pushbox COMMAND [OPTIONS]

    \(commands)

    `pushbox help COMMAND` says more. All but demo and version read the configuration: --config FILE,
    else /etc/pushbox/config.toml if it is there, and the environment. Logs go to standard error.

    Exit status: \(exitStatus.split(separator: "\n").joined(separator: "\n  "))
    """

  private static var commands: String {
    let width = 12
    return Command.all.map { command in
      "  \(command.name)" + String(repeating: " ", count: max(1, width - command.name.utf8.count))
        + command.summary
    }.joined(separator: "\n")
  }
}

/// `pushbox help [COMMAND]`.
enum HelpCommand {
  static let command = Command(
    name: "help", summary: "print this, or what a command does",
    syntax: CommandSyntax(
      help: "Usage: pushbox help [COMMAND]\n\nPrints the list of commands, or what COMMAND does.",
      operands: 0...1), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      guard let name = arguments.operands.first else {
        Terminal.print(Help.text)
        return 0
      }
      guard let command = Command.named(name) else { return Pushbox.refuse(name) }
      Terminal.print(command.syntax.help)
      return 0
    }
  }
}

/// `pushbox version`.
enum VersionCommand {
  static let command = Command(
    name: "version", summary: "print the version",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox version [--json]

        Prints the version; with --json as {"version": "..."}.
        """, flags: ["json"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      let isJSON = arguments.flags.contains("json")
      Terminal.print(isJSON ? "{\"version\":\"\(Version.text)\"}" : "pushbox \(Version.text)")
      return 0
    }
  }
}
