import Bytes

/// A validated configuration.
public struct Configuration: Sendable {
  public struct Server: Sendable, Equatable {
    /// At least one.
    public let listen: [ListenAddress]
    public let publicURL: HTTPURL
    /// 0 means one for each core.
    public let workers: Int
    public let maxConnections: Int
    /// Nil for no limit.
    public let maxConnectionsPerAddress: Int?
    /// Nil for no limit.
    public let maxRequestsPerConnection: Int?
    public let trustedProxies: [IPAddressBlock]
    /// Nil means any.
    public let corsOrigins: Set<String>?
    public let maxBodyBytes: Int
    public let headerTimeout: Duration
    public let bodyTimeout: Duration
    public let writeTimeout: Duration
    public let idleTimeout: Duration
    public let shutdownGrace: Duration
    /// Reload by itself when the file or a key file changes.
    public let watchConfig: Bool
  }

  public struct TLS: Sendable, Equatable {
    /// PEM files.
    public let certificateFile: String
    public let keyFile: String
  }

  /// What one address may do in a minute; 0 for no limit.
  public struct Limits: Sendable, Equatable {
    public let registrations: Int
    public let deletions: Int
    public let failedSignatures: Int
    public let logins: Int
    public let exempt: [IPAddressBlock]
  }

  public struct Relay: Sendable, Equatable {
    public let validateSignatures: Bool
    /// Present when signatures are validated.
    public let publicKey: PublicKeySource?
    /// Nil accepts signatures of any age.
    public let maxTimestampAge: Duration?
  }

  public enum PublicKeySource: Sendable, Hashable {
    /// Of 32 bytes each.
    case inline([[UInt8]])
    /// A file with 64 hexadecimal digits a line.
    case file(String)
    /// Asked for at the first start, then kept.
    case fetch(HTTPURL)
  }

  public struct Clients: Sendable, Equatable {
    public enum Auth: String, Sendable, CaseIterable { case optional, sticky, required }

    /// Nil accepts any.
    public let projectIDs: Set<String>?
    public let auth: Auth
  }

  public struct Store: Sendable, Equatable {
    public let path: String
    /// Bytes.
    public let mapSize: Int
    /// Bytes.
    public let deliveriesMapSize: Int
    public let tombstoneDays: Int
    public let deliveredDays: Int
    public let tokenKeyFile: String
  }

  public struct Push: Sendable, Equatable {
    public enum Oversize: String, Sendable, CaseIterable { case trim, reject }

    public let deadline: Duration
    public let oversize: Oversize
    public let maxInFlight: Int
    /// Share of refused tokens beyond which none is given up.
    public let purgeBrakePercent: Int
    /// How long a gateway keeps a push; zero means that it tries once.
    public let ttl: Duration
  }

  /// How APNs knows us.
  public enum APNsAuthentication: Sendable, Equatable {
    /// A signing key: PEM text, PKCS #8.
    case token(key: SecretSource, keyID: String, teamID: String)
    /// A push certificate: PEM text, or a `.p12` (inline: in base64).
    case certificate(SecretSource, password: SecretSource?, privateKeyFile: String?)
  }

  public struct APNs: Sendable, Equatable {
    public let authentication: APNsAuthentication
    /// Nil leaves it to the certificate.
    public let topic: String?
    public let productionEndpoint: HTTPURL
    public let sandboxEndpoint: HTTPURL
    /// Nil trusts the system's authorities.
    public let caFile: String?
    /// Of each worker to each endpoint.
    public let maxConnections: Int
  }

  public struct FCM: Sendable, Equatable {
    /// JSON text.
    public let serviceAccount: SecretSource
    public let endpoint: HTTPURL
    /// Nil trusts the system's authorities.
    public let caFile: String?
  }

  public struct Admin: Sendable, Equatable {
    /// A PHC string of scrypt.
    public let passwordHash: SecretSource
    /// Empty: beside the public routes.
    public let listen: [ListenAddress]
    public let sessionTTL: Duration
  }

  public struct Metrics: Sendable, Equatable {
    /// Who may read them without the token. Without either, everyone may.
    public let allow: [IPAddressBlock]
    public let token: SecretSource?
  }

  public struct Outbound: Sendable, Equatable {
    public struct Proxy: Sendable, Equatable {
      public let host: String
      public let port: UInt16
      public let user: String?
      public let password: Secret?
    }

    public let proxy: Proxy?
    /// Trusted besides the system's authorities.
    public let caFile: String?
  }

  public struct Log: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable { case debug, info, warning, error }
    public enum Format: String, Sendable, CaseIterable { case text, json }

    public let level: Level
    public let format: Format
  }

  public let server: Server
  /// Nil serves plain HTTP.
  public let tls: TLS?
  public let limits: Limits
  public let relay: Relay
  public let clients: Clients
  public let store: Store
  public let push: Push
  /// At least one of `apns` and `fcm` is present.
  public let apns: APNs?
  public let fcm: FCM?
  /// Nil: no admin page.
  public let admin: Admin?
  public let metrics: Metrics
  public let outbound: Outbound
  public let log: Log
  /// Where the value of each key came from; a key without a value has none.
  public let origins: [ConfigurationKey: ConfigurationOrigin]
  /// Every value in effect, in the order of the example file, without secrets.
  public let entries: [ConfigurationEntry]

  /// Reads and validates `file` (nil: none) and `environment`, which overrides it. Throws all problems at once.
  /// Files that the configuration names are not opened here: see `Credentials`.
  public static func load(
    file: String?, environment: [String: String]
  ) throws(ConfigurationError) -> (Configuration, warnings: [ConfigurationWarning]) {
    try load(try file.map(ConfigurationFile.read), environment: environment)
  }

  /// The same for a file that was read already.
  public static func load(
    _ file: ConfigurationFile?, environment: [String: String]
  ) throws(ConfigurationError) -> (Configuration, warnings: [ConfigurationWarning]) {
    var values = ConfigurationValues(environment: environment)
    values.readDefaults()
    if let file { try values.readFile(file) }
    values.readEnvironment(environment)
    return try ConfigurationBuilder(values).build()
  }
}
