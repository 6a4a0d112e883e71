import Store

/// What the admin page can see of the process that serves it, and make it do. Any thread.
public protocol AdminHost: AnyObject, Sendable {
  var reloadState: AdminReloadState { get }
  /// Whether the configuration file is another one than that in effect. Reads the file.
  var differsOnDisk: Bool { get }
  /// Reads the configuration anew, as SIGHUP does; `completion` gets what is wrong, nothing when it is in effect.
  func reload(_ completion: @escaping @Sendable ([String]) -> Void)
  /// The configuration in effect, without secrets.
  var configuration: [AdminConfigurationValue] { get }
  /// What expires, or never does. May read files.
  var credentials: [AdminCredential] { get }
  /// When a certificate by which others know this server ends, in milliseconds since the epoch; nil when there
  /// is none.
  func expiry(of certificate: OwnCertificate) -> UInt64?
  /// The address of each gateway, for people.
  var endpoints: [TokenKind: String] { get }
  var storePath: String { get }
  var workerCount: Int { get }
}

/// The configuration in effect and the latest try to replace it.
public struct AdminReloadState: Sendable {
  /// Nil when everything came from the environment.
  public var file: String?
  /// Milliseconds since the epoch.
  public var loadedAt: Int64
  /// Configurations put into effect, the start's included.
  public var generation: Int
  /// Reloads tried.
  public var attempts: Int
  /// Why the latest one changed nothing.
  public var problems: [String]
  /// Milliseconds since the epoch.
  public var failedAt: Int64?

  public init(
    file: String?, loadedAt: Int64, generation: Int, attempts: Int, problems: [String], failedAt: Int64?
  ) {
    self.file = file
    self.loadedAt = loadedAt
    self.generation = generation
    self.attempts = attempts
    self.problems = problems
    self.failedAt = failedAt
  }
}

/// One key of the configuration.
public struct AdminConfigurationValue: Sendable {
  /// `section.name`.
  public var key: String
  public var section: String
  public var name: String
  /// As TOML; a placeholder for a secret.
  public var value: String
  public var origin: String
  public var isDefault: Bool
  public var isSecret: Bool
  public var help: String

  public init(
    key: String, section: String, name: String, value: String, origin: String, isDefault: Bool,
    isSecret: Bool, help: String
  ) {
    self.key = key
    self.section = section
    self.name = name
    self.value = value
    self.origin = origin
    self.isDefault = isDefault
    self.isSecret = isSecret
    self.help = help
  }
}

/// A certificate by which others know this server, as metrics name it.
public enum OwnCertificate: String, CaseIterable, Sendable {
  /// Of `[tls]`, which clients and the relay see.
  case tls
  /// Which APNs sees instead of a provider token.
  case apns
}

/// A key or certificate by which this server is known, or knows others.
public struct AdminCredential: Sendable {
  public var name: String
  /// The configuration's key that it came by.
  public var key: String
  /// Host names and addresses of a server certificate.
  public var names: [String]
  /// Who issued a server certificate.
  public var issuer: String?
  /// Milliseconds since the epoch; nil: never.
  public var expiresAt: UInt64?
  public var note: String?

  public init(
    name: String, key: String, names: [String] = [], issuer: String? = nil, expiresAt: UInt64? = nil,
    note: String? = nil
  ) {
    self.name = name
    self.key = key
    self.names = names
    self.issuer = issuer
    self.expiresAt = expiresAt
    self.note = note
  }
}
