import Configuration
import Glibc
import Store
import Transfer

/// `pushbox import`: registrations from an export, or from the Rust push server's table.
enum ImportCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox import FILE [--format jsonl|csv] [--dry-run] [--tenant ID] [--json]
                           [--config FILE]

      Stores the registrations in FILE (- for standard input): what `pushbox export` writes, or a CSV
      dump of the Rust push server's table, as made by
        psql -c "\\copy public.clients to 'clients.csv' csv header"
      A server may be running. Of two registrations of a client or a token the newer stays, so it may
      be run again. Lines that cannot be used are named, and make the exit status 1.

        --format    by default what FILE ends with, else jsonl
        --dry-run   read everything and say what would be stored
        --tenant    of a dump with several tenants, the one to take; by default that of the first row
        --json      print {"stored", "kept", "refused"}, numbers of lines
      """, options: ["format", "tenant"], flags: ["dry-run", "json"], operands: 1...1,
    takesFiles: true)

  static let command = Command(
    name: "import", summary: "read an export, or a dump of the Rust push server's table",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let path = arguments.operands.first ?? ""
      let format = try TransferFormat.chosen(arguments.options["format"], path)
      let isDryRun = arguments.flags.contains("dry-run")
      let input = try InputFile(path)
      let target: any ImportTarget =
        if isDryRun { try DryRun(openForReading(settings)) } else {
          StoreTarget(try openForWriting(settings))
        }
      var run = ImportRun(
        target: target, format: format, tenant: arguments.options["tenant"], size: input.size)
      try run.read(input)
      return run.conclude(isDryRun: isDryRun, isJSON: arguments.flags.contains("json"))
    }
  }

  /// Beside a server if one runs; else as the one who serves, so that a first import makes the store.
  private static func openForWriting(_ settings: Configuration.Store) throws(StoreCommand.Failure) -> Store {
    if access(settings.path + "/registrations/data.mdb", F_OK) == 0 {
      return try StoreCommand.openTool(settings)
    }
    do throws(ServerError) {
      return try StoreOpening.open(settings, role: .serve)
    } catch {
      throw StoreCommand.Failure("\(error)")
    }
  }

  /// nil when there is no store yet.
  private static func openForReading(_ settings: Configuration.Store) throws(StoreCommand.Failure) -> Store? {
    guard access(settings.path + "/registrations/data.mdb", F_OK) == 0 else { return nil }
    return try StoreCommand.openTool(settings)
  }
}
