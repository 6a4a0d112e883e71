import Configuration
import JSON

/// `pushbox config show`: what is in effect, and where each value came from.
enum ConfigCommand {
  static let command = Command(
    name: "config", summary: "print the configuration in effect and where each value came from",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox config show [--json] [--config FILE]

        Prints every value in effect, without secrets, and where it came from: a line of the file, an
        environment variable, or the default.

          --json   print {"file", "values": [{"key", "value", "origin"}, ...]}
        """, options: ["config"], flags: ["json"], operands: 1...1, words: ["show"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    let source: ConfigurationSource
    let isJSON: Bool
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      source = ConfigurationOption.source(arguments)
      isJSON = arguments.flags.contains("json")
    }
    let configuration: Configuration
    do throws(ConfigurationError) {
      (configuration, _) = try Configuration.load(file: source.file, environment: source.environment)
    } catch {
      ConfigurationOption.report(error, source)
      return 2
    }
    if isJSON {
      Terminal.print(json(configuration, source.file))
      return 0
    }
    Terminal.print("# \(source.file ?? "from the environment only")\n\n\(configuration.shown)")
    return 0
  }

  private static func json(_ configuration: Configuration, _ file: String?) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("file")
    if let file { writer.value(file) } else { writer.null() }
    writer.key("values")
    writer.beginArray()
    for entry in configuration.entries {
      writer.beginObject()
      writer.member("key", entry.key.rawValue)
      // What TOML knows of values here, JSON writes alike.
      writer.member("value", (try? JSON.parse(Array(entry.literal.utf8))) ?? .string(entry.literal))
      writer.member("origin", entry.origin.description)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.string
  }
}
