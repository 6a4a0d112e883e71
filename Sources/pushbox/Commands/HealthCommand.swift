import Configuration

/// `pushbox health`: asks the server of the configuration whether it is well, for a container's health check.
enum HealthCommand {
  static let command = Command(
    name: "health", summary: "ask the running server whether it is well, for health checks",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox health [--ready] [--json] [--config FILE]

        Asks the server that listens where the configuration says. Exit status: 0 it answers that it is
        well, 1 it does not, or not within 5 seconds. With [tls], it must show the certificate that the
        configuration names.

          --ready   ask /ready (store and gateways can work), not only /health (the process answers)
          --json    print the server's answer as JSON
        """, options: ["config"], flags: ["ready", "json"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      guard let loaded = ConfigurationOption.configuration(file: arguments.options["config"]) else {
        return 2
      }
      let path = arguments.flags.contains("ready") ? "/ready" : "/health"
      do throws(HealthProbe.Failure) {
        let answer = try HealthProbe.get(
          path, isJSON: arguments.flags.contains("json"), loaded.configuration)
        guard answer.status == 200 else {
          Terminal.printError("not well: \(path) answers \(answer.status): \(answer.text)")
          return 1
        }
        Terminal.print(answer.text)
        return 0
      } catch {
        Terminal.printError("not well: \(error.description)")
        return 1
      }
    }
  }
}
