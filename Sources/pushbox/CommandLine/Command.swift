/// One command: what the help, the completions, the manual page and the dispatch know of it.
struct Command: Sendable {
  let name: String
  /// Half a line for the list of commands.
  let summary: String
  let syntax: CommandSyntax
  let run: @Sendable (ArraySlice<String>) -> Int32

  /// Every command, in the order of the help.
  static let all: [Command] = [
    ServeCommand.command, ReloadCommand.command, CheckCommand.command, ConfigCommand.command,
    HealthCommand.command,
    ClientsCommand.command, SendCommand.command, BackupCommand.command, RestoreCommand.command,
    ExportCommand.command,
    ImportCommand.command, VerifyCommand.command, RotateKeyCommand.command, HashPasswordCommand.command,
    DemoCommand.command,
    VersionCommand.command, HelpCommand.command,
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
