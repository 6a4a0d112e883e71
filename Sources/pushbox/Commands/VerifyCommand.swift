import Store

/// `pushbox verify`: reads everything that is stored and says whether it holds together.
enum VerifyCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox verify [--json] [--config FILE]

      Reads every registration, opens its device token and compares the indexes. A server may be
      running. Exit status 0 only when all is well.

        --json   print the counts as `pushbox clients count --json` does
      """, flags: ["json"])

  static let command = Command(
    name: "verify", summary: "read all that is stored and say whether it is whole",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let store = try StoreCommand.openTool(settings)
      var progress = ProgressBar(total: nil)
      defer { progress.clear() }
      let (problem, counts) = try StoreCommand.perform { () throws(StoreError) in
        let reader = try store.makeReader()
        return (try reader.inconsistency { progress.show($0) }, try reader.counts())
      }
      progress.clear()
      if let problem {
        throw StoreCommand.Failure("\(StoreError.damaged(path: settings.path, detail: problem))")
      }
      Terminal.print(
        arguments.flags.contains("json")
          ? ClientText.json(counts) : "all is well: \(StoreCommand.text(counts))")
      return 0
    }
  }
}
