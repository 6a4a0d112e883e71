import Configuration
import EventLoop
import Glibc

/// The options and the configuration that `serve` and `check` share.
enum ConfigurationOption {
  static let defaultFile = "/etc/pushbox/config.toml"

  /// A configuration with its credentials and everything worth a warning.
  struct Loaded {
    let file: String?
    let configuration: Configuration
    let credentials: Credentials
    let warnings: [ConfigurationWarning]
  }

  /// Reads `[--config FILE]` and loads. Prints what is wrong and gives nil.
  static func load(_ arguments: ArraySlice<String>, command: String) -> Loaded? {
    let file: String?
    switch (arguments.first, arguments.count) {
    case (nil, _): file = access(defaultFile, F_OK) == 0 ? defaultFile : nil
    case ("--config", 2): file = arguments.last
    case (.some(let option), _) where option.hasPrefix("--config=") && arguments.count == 1:
      file = String(option.dropFirst("--config=".count))
    default:
      Terminal.printError("Usage: pushbox \(command) [--config FILE]")
      return nil
    }
    do throws(ConfigurationError) {
      let (configuration, warnings) = try Configuration.load(
        file: file, environment: ProcessEnvironment.all())
      let (credentials, more) = try Credentials.load(configuration)
      return Loaded(
        file: file, configuration: configuration, credentials: credentials, warnings: warnings + more)
    } catch {
      Terminal.printError("The configuration cannot be used:")
      for problem in error.problems { Terminal.printError("  \(problem)") }
      if file == nil {
        Terminal.printError(
          "No --config was given and there is no \(defaultFile), so only the environment was read.")
      }
      return nil
    }
  }
}
