import Store

/// `pushbox backup`: a compacted copy of the registrations, while a server serves them.
enum BackupCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox backup FILE [--json] [--config FILE]

      Writes a consistent copy of all registrations to FILE, which must not exist. A server may be
      running. Device tokens in it are encrypted: keep a copy of the token key too, elsewhere.

        --json   print the counts as `pushbox clients count --json` does
      """, flags: ["json"], operands: 1...1, takesFiles: true)

  static let command = Command(
    name: "backup", summary: "copy all registrations to a file, while serving",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let target = arguments.operands.first ?? ""
      let store = try StoreCommand.openTool(settings)
      let counts = try StoreCommand.perform { () throws(StoreError) in
        let counts = try store.makeReader().counts()
        // One call of LMDB's does it all: what it has written tells how far it is.
        let file = try NewFile(target)
        let display = GrowthDisplay(of: file, total: try store.status().registrations.usedBytes)
        defer { display.end() }
        try store.backUpRegistrations(to: file)
        return counts
      }
      if arguments.flags.contains("json") {
        Terminal.print(ClientText.json(counts))
        return 0
      }
      Terminal.print("backed up to \(target): \(StoreCommand.text(counts))")
      Terminal.print(
        "It is of use only with the key in \(settings.tokenKeyFile): keep a copy of that elsewhere.")
      return 0
    }
  }
}
