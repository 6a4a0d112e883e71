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
    guard let loaded = configuration(file: file) else { return nil }
    do throws(ConfigurationError) {
      let (credentials, more) = try Credentials.load(loaded.configuration)
      return Loaded(
        file: file, configuration: loaded.configuration, credentials: credentials,
        warnings: loaded.warnings + more)
    } catch {
      report(error, file)
      return nil
    }
  }

  /// Reads the configuration in `file` (nil: the default file, if it is there) without opening the files that
  /// it names. Prints what is wrong and gives nil.
  static func configuration(
    file: String?
  ) -> (configuration: Configuration, warnings: [ConfigurationWarning])? {
    let file = file ?? (access(defaultFile, F_OK) == 0 ? defaultFile : nil)
    do throws(ConfigurationError) {
      return try Configuration.load(file: file, environment: ProcessEnvironment.all())
    } catch {
      report(error, file)
      return nil
    }
  }

  private static func report(_ error: ConfigurationError, _ file: String?) {
    Terminal.printError("The configuration cannot be used:")
    for problem in error.problems { Terminal.printError("  \(problem)") }
    if file == nil {
      Terminal.printError(
        "No --config was given and there is no \(defaultFile), so only the environment was read.")
    }
  }
}
