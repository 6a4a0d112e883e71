import EventLoop
import Glibc

/// The command line. Exit status: 0 done, 1 failed, 2 wrong usage or configuration.
@main
enum Pushbox {
  static func main() {
    // Before any thread starts, so that every thread has it.
    SignalSource.block([SIGTERM, SIGINT, SIGHUP])
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "--version", "-V": return VersionCommand.command.run([])
    case "--help", "-h": return HelpCommand.command.run([])
    case nil:
      Terminal.printError(Help.text)
      return 2
    case .some(let name):
      guard let command = Command.named(name) else { return refuse(name) }
      return command.run(arguments.dropFirst())
    }
  }

  /// Says that there is no such command.
  static func refuse(_ name: String) -> Int32 {
    let what = name.hasPrefix("-") ? "option before the command" : "command"
    let suggestion = CommandSyntax.suggestion(name, among: Command.all.map(\.name))
    Terminal.printError("pushbox: there is no \(what) '\(name)'\(suggestion)\n`pushbox help` lists them.")
    return 2
  }
}
