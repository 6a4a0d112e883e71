import Configuration

/// `pushbox config show`: what is in effect, and where each value came from.
enum ConfigCommand {
  static func run(_ arguments: [String]) -> Int32 {
    var arguments = arguments
    guard let source = ConfigurationOption.take(from: &arguments), arguments == ["show"] else {
      Terminal.printError("Usage: pushbox config show [--config FILE]")
      return 2
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
