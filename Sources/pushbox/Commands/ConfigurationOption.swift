import Configuration
import EventLoop
import Glibc

/// The option and the configuration that `serve`, `check` and `config show` share.
enum ConfigurationOption {
  static let defaultFile = "/etc/pushbox/config.toml"

  /// Takes `--config FILE` or `--config=FILE` out of `arguments`. Nil when its value is missing.
  static func take(from arguments: inout [String]) -> ConfigurationSource? {
    var file: String?
    if let index = arguments.firstIndex(where: { $0 == "--config" || $0.hasPrefix("--config=") }) {
      let option = arguments.remove(at: index)
      if option != "--config" {
        file = String(option.dropFirst("--config=".count))
      } else if index < arguments.count {
        file = arguments.remove(at: index)
      } else {
        return nil
      }
    }
    return source(file: file)
  }

  /// What to read when `--config` named `file`, or nothing.
  static func source(file: String?) -> ConfigurationSource {
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
