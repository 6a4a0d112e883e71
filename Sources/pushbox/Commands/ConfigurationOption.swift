import Configuration
import EventLoop
import Glibc

/// The option `--config` and what it leads to.
enum ConfigurationOption {
  static let defaultFile = "/etc/pushbox/config.toml"

  /// What `--config` names, else the default file if it is there.
  static func source(_ arguments: CommandSyntax.Arguments) -> ConfigurationSource {
    source(file: arguments.options["config"])
  }

  private static func source(file: String?) -> ConfigurationSource {
    ConfigurationSource(
      file: file ?? (access(defaultFile, F_OK) == 0 ? defaultFile : nil),
      environment: ProcessEnvironment.all())
  }

  /// Loads; prints what is wrong and gives nil.
  static func load(_ source: ConfigurationSource) -> ConfigurationSource.Loaded? {
    do throws(ConfigurationError) {
      return try source.load()
    } catch {
      report(error, source)
      return nil
    }
  }

  /// Prints every problem.
  static func report(_ error: ConfigurationError, _ source: ConfigurationSource) {
    Terminal.printError("The configuration cannot be used:")
    for problem in error.problems { Terminal.printError("  \(problem)") }
    if source.file == nil {
      Terminal.printError(
        "No --config was given and there is no \(defaultFile), so only the environment was read.")
    }
  }

  /// Reads the configuration in `file` (nil: the default file, if it is there) without opening the files that
  /// it names. Prints what is wrong and gives nil.
  static func configuration(
    file: String?
  ) -> (configuration: Configuration, warnings: [ConfigurationWarning])? {
    let source = source(file: file)
    do throws(ConfigurationError) {
      return try Configuration.load(file: source.file, environment: source.environment)
    } catch {
      report(error, source)
      return nil
    }
  }
}
