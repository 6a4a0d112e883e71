/// A configuration file as it was read.
public struct ConfigurationFile: Sendable {
  /// As given, for messages.
  public let path: String
  /// May hold secrets.
  public let bytes: [UInt8]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Reads the file at `path`, of at most 1 MiB.
  public static func read(_ path: String) throws(ConfigurationError) -> ConfigurationFile {
    do {
      return ConfigurationFile(path: path, bytes: try FileContent.read(path).bytes)
    } catch {
      throw ConfigurationError(problems: [ConfigurationProblem("\(path): \(error.reason)")])
    }
  }
}
