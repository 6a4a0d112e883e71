import Bytes
import Configuration
import Crypto
import EventLoop

/// Where the configuration is read from, at the start and again with each reload.
struct ConfigurationSource: Sendable {
  /// Nil reads the environment only.
  let file: String?
  /// Of this process: it does not change while it runs.
  let environment: [String: String]

  /// A configuration with its credentials and everything worth a warning.
  struct Loaded: Sendable {
    let configuration: Configuration
    let credentials: Credentials
    let warnings: [ConfigurationWarning]
    /// SHA-256 of the file, in hex.
    let contentHash: String?
    /// The same of each file that the configuration names, as far as it can be read.
    let namedFileHashes: [String: String]
  }

  /// Reads and validates everything, key files included. Throws all problems at once.
  func load() throws(ConfigurationError) -> Loaded {
    let content = try file.map(ConfigurationFile.read)
    let (configuration, warnings) = try Configuration.load(content, environment: environment)
    let (credentials, more) = try Credentials.load(configuration)
    return Loaded(
      configuration: configuration, credentials: credentials, warnings: warnings + more,
      contentHash: content.map { Self.hash($0) }, namedFileHashes: Self.hashes(configuration.namedFiles))
  }

  /// The hash of the file as it is now; nil when there is none or it can't be read.
  func currentHash() -> String? {
    guard let file, let content = try? ConfigurationFile.read(file) else { return nil }
    return Self.hash(content)
  }

  private static func hashes(_ paths: [String]) -> [String: String] {
    var hashes: [String: String] = [:]
    for path in paths { hashes[path] = (try? ConfigurationFile.read(path)).map(hash) }
    return hashes
  }

  private static func hash(_ file: ConfigurationFile) -> String { Hex.encode(SHA256.hash(file.bytes)) }
}

extension ConfigurationSource.Loaded {
  /// What is other than in `old`, in words: keys with their values, and files with new content. Holds no secret.
  func changes(since old: Self) -> [String] {
    configuration.changes(since: old.configuration).map(\.description)
      + namedFileHashes.keys.sorted().filter { path in
        old.namedFileHashes[path].map { $0 != namedFileHashes[path] } ?? false
      }.map { "\($0): new content" }
  }
}
