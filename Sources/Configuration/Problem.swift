/// Where a value of the configuration came from.
public enum ConfigurationOrigin: Sendable, Hashable, CustomStringConvertible {
  /// Line and column from 1.
  case file(path: String, line: Int, column: Int)
  /// The environment variable of this name.
  case environment(String)
  case `default`

  /// `config.toml:3:5`, `environment PORT`, or `default`.
  public var description: String {
    switch self {
    case .file(let path, let line, let column): "\(path):\(line):\(column)"
    case .environment(let name): "environment \(name)"
    case .default: "default"
    }
  }
}

/// One thing that is wrong with the configuration, and what to do about it. Never holds a secret.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
  /// Where it is; nil for something that is missing.
  public let origin: ConfigurationOrigin?
  /// The key in question, `section.key`.
  public let key: String?
  public let message: String

  init(_ message: String, key: String? = nil, at origin: ConfigurationOrigin? = nil) {
    self.message = message
    self.key = key
    self.origin = origin
  }

  /// `config.toml:3:5: server.workers: ...`, without the parts that do not apply.
  public var description: String {
    let parts = [origin?.description, key, message]
    return parts.compactMap { $0 }.joined(separator: ": ")
  }
}

/// Something that works but is most likely not what the operator wants; the same shape as a problem.
public typealias ConfigurationWarning = ConfigurationProblem

/// Everything that is wrong with the configuration, at once.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// In the order of the file, then of the environment, then what is missing. Never empty.
  public let problems: [ConfigurationProblem]

  /// One line a problem.
  public var description: String {
    let head =
      problems.count == 1
      ? "the configuration has a problem:" : "the configuration has \(problems.count) problems:"
    return ([head] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
