import Configuration
import Gateways
import Service
import Telemetry

/// `pushbox check`: everything that `serve` needs, and with `--online` what the gateways say.
enum CheckCommand {
  static let command = Command(
    name: "check", summary: "look at the configuration, keys, certificates, files and ports",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox check [--config FILE] [--online] [--json] [--strict]

        Validates the configuration and everything that `serve` needs.
        Exit status: 0 good, 1 warnings with --strict, 2 errors.

          --online   ask APNs and FCM whether they take the credentials; no device gets anything
          --json     print {"status": ..., "findings": [{"level", "subject", "message"}, ...]}
          --strict   warnings make the exit status 1
        """, options: ["config"], flags: ["online", "json", "strict"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      let flags = arguments.flags
      let report = report(ConfigurationOption.source(arguments), isOnline: flags.contains("online"))
      Terminal.print(flags.contains("json") ? report.json : report.text)
      return report.exitStatus(isStrict: flags.contains("strict"))
    }
  }

  /// The server's provider token, so that Apple sees no other one; nil before the first start, and when the
  /// store cannot be opened, which other checks tell of.
  private static func vault(_ settings: Configuration.Store) -> ProviderTokenVault? {
    guard let (store, cipher) = try? StoreOpening.openForTool(settings) else { return nil }
    return ProviderTokenVault(store: store, cipher: cipher, log: Log(level: .error))
  }

  private static func report(_ source: ConfigurationSource, isOnline: Bool) -> CheckReport {
    var report = CheckReport()
    let loaded: ConfigurationSource.Loaded
    do throws(ConfigurationError) {
      loaded = try source.load()
    } catch {
      for problem in error.problems { report.fail("configuration", problem.description) }
      if source.file == nil {
        report.warn(
          "configuration",
          "no --config was given and there is no \(ConfigurationOption.defaultFile): only the environment was read"
        )
      }
      return report
    }
    report.ok("configuration", source.file ?? "from the environment only")
    for warning in loaded.warnings { report.warn("configuration", warning.description) }
    KeyChecks.run(loaded.configuration, loaded.credentials, &report)
    PlaceChecks.run(loaded.configuration, source.file, &report)
    do throws(ServerError) {
      let gateways = try GatewayFactory(
        loaded.configuration, loaded.credentials, vault: isOnline ? vault(loaded.configuration.store) : nil,
        tokenRefreshAge: APNsProviderToken.toolRefreshAge)
      let kinds = gateways.kinds.map(\.name).sorted().joined(separator: ", ")
      report.ok("gateways", "device tokens of type \(kinds) are served")
      if isOnline { OnlineChecks.run(gateways, &report) }
    } catch {
      // Key checks name the same fault with more words.
      if report.exitStatus(isStrict: false) == 0 { report.fail("gateways", error.description) }
    }
    return report
  }
}
