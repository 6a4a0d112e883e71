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
    case "serve": return ServeCommand.run(Array(arguments.dropFirst()))
    case "check": return CheckCommand.run(Array(arguments.dropFirst()))
    case "config": return ConfigCommand.run(Array(arguments.dropFirst()))
    case "backup": return BackupCommand.run(arguments.dropFirst())
    case "restore": return RestoreCommand.run(arguments.dropFirst())
    case "export": return ExportCommand.run(arguments.dropFirst())
    case "import": return ImportCommand.run(arguments.dropFirst())
    case "clients": return ClientsCommand.run(arguments.dropFirst())
    case "send": return SendCommand.run(arguments.dropFirst())
    case "verify": return VerifyCommand.run(arguments.dropFirst())
    case "rotate-key": return RotateKeyCommand.run(arguments.dropFirst())
    case "demo": return DemoCommand.run(arguments.dropFirst())
    case "version", "--version", "-V":
      Terminal.print("pushbox \(Version.text)")
      return 0
    case "help", "--help", "-h":
      Terminal.print(Help.text)
      return 0
    case nil:
      Terminal.printError(Help.text)
      return 2
    case .some(let other):
      Terminal.printError("pushbox: there is no command '\(other)'\n\n\(Help.text)")
      return 2
    }
  }
}
