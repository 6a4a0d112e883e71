import Configuration
import Store

/// `pushbox restore`: puts a backup in place of the registrations.
enum RestoreCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox restore FILE [--force] [--config FILE]

      Verifies a backup in full and puts it in place of the registrations. The server must be stopped,
      no other command may be at work on the store, and the token key that the backup was made with must
      be in place (after a key rotation that may be token.key.old).

        --force   replace a store that is there; its file stays beside the new one for 30 days
      """, flags: ["force"], operands: 1...1, takesFiles: true)

  static let command = Command(
    name: "restore", summary: "put a backup in place of the registrations",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let source = arguments.operands.first ?? ""
      let cipher = try cipher(settings)
      var progress = ProgressBar(total: nil)
      defer { progress.clear() }
      let restored = try StoreCommand.perform { () throws(StoreError) in
        try Store.restore(
          from: source, to: settings.path, cipher: cipher, replacing: arguments.flags.contains("force"),
          time: StoreCommand.now(), progress: { progress.show($0) })
      }
      progress.clear()
      Terminal.print("restored to \(settings.path): \(StoreCommand.text(restored.counts))")
      if let replaced = restored.replaced {
        Terminal.print("what was there before is in \(replaced), for \(Store.setAsideDays) days")
      }
      return 0
    }
  }

  private static func cipher(
    _ settings: Configuration.Store
  ) throws(StoreCommand.Failure) -> any TokenCipher {
    do throws(ServerError) {
      return try StoreOpening.cipher(try TokenKeyFile(path: settings.tokenKeyFile).load())
    } catch {
      throw StoreCommand.Failure("\(error)")
    }
  }
}
