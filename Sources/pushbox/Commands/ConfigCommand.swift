import Configuration

/// `pushbox config show`: what is in effect, and where each value came from.
enum ConfigCommand {
  static let command = Command(
    name: "config", summary: "print the configuration in effect and where each value came from",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox config show [--config FILE]

        Prints every value in effect, without secrets, and where it came from: a line of the file, an
        environment variable, or the default.
        """, options: ["config"], operands: 1...1, words: ["show"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    let source: ConfigurationSource
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments): source = ConfigurationOption.source(arguments)
    }
    let configuration: Configuration
    do throws(ConfigurationError) {
      (configuration, _) = try Configuration.load(file: source.file, environment: source.environment)
    } catch {
      ConfigurationOption.report(error, source)
      return 2
    }
    Terminal.print("# \(source.file ?? "from the environment only")\n\n\(configuration.shown)")
    return 0
  }
}
