import Bytes

/// The keys that a configuration names, read from their files where it does so.
public struct Credentials: Sendable {
  /// Of 32 bytes each; none when the configuration names none, or has it fetched.
  public let relayPublicKeys: [[UInt8]]
  /// PEM text, PKCS #8 or SEC 1; nil unless APNs knows us by a token.
  public let apnsKey: Secret?
  /// Nil unless APNs knows us by a certificate.
  public let apnsCertificate: APNsCertificate?
  /// JSON text; nil without `[fcm]`.
  public let fcmServiceAccount: Secret?
  /// A PHC string of scrypt; nil without `[admin]`.
  public let adminPasswordHash: Secret?
  /// For those who read the metrics; nil when there is none.
  public let metricsToken: Secret?

  /// A push certificate with its key.
  public enum APNsCertificate: Sendable, Equatable {
    /// A `.p12` file, in base64.
    case pkcs12(base64: Secret, password: Secret)
    /// PEM texts, which may be the same.
    case pem(certificate: Secret, privateKey: Secret)
  }

  /// Reads the files that `configuration` names. Throws all problems at once. A secret file that everyone may read
  /// is a warning.
  public static func load(
    _ configuration: Configuration
  ) throws(ConfigurationError) -> (Credentials, warnings: [ConfigurationWarning]) {
    var loader = CredentialsLoader(origins: configuration.origins)
    let relayPublicKeys = loader.relayPublicKeys(configuration.relay.publicKey)
    var apnsKey: Secret?
    var apnsCertificate: APNsCertificate?
    switch configuration.apns?.authentication {
    case .token(let key, _, _):
      apnsKey = loader.secret(
        key, .apnsKeyFile, advice: "holds no PEM private key, expected a token signing key (.p8)",
        PrivateKeyText.pem)
    case .certificate(let certificate, let password, let privateKeyFile):
      apnsCertificate = loader.certificate(certificate, password, privateKeyFile)
    case nil: break
    }
    let fcmServiceAccount = loader.secret(
      configuration.fcm?.serviceAccount, .fcmServiceAccountFile,
      advice: "holds no JSON object, expected the service account's JSON", ServiceAccountText.json)
    let adminPasswordHash = loader.secret(
      configuration.admin?.passwordHash, .adminPasswordHashFile,
      advice: "holds no hash, expected the output of: pushbox hash-password", PasswordHashText.hash)
    let metricsToken = loader.secret(
      configuration.metrics.token, .metricsTokenFile,
      advice: "holds no token, \(MetricsToken.advice)", MetricsToken.token)
    guard loader.problems.isEmpty else { throw ConfigurationError(problems: loader.problems) }
    let credentials = Credentials(
      relayPublicKeys: relayPublicKeys, apnsKey: apnsKey, apnsCertificate: apnsCertificate,
      fcmServiceAccount: fcmServiceAccount, adminPasswordHash: adminPasswordHash,
      metricsToken: metricsToken)
    return (credentials, loader.warnings)
  }
}

private struct CredentialsLoader {
  let origins: [ConfigurationKey: ConfigurationOrigin]
  private(set) var problems: [ConfigurationProblem] = []
  private(set) var warnings: [ConfigurationWarning] = []

  init(origins: [ConfigurationKey: ConfigurationOrigin]) { self.origins = origins }

  mutating func relayPublicKeys(_ source: Configuration.PublicKeySource?) -> [[UInt8]] {
    switch source {
    case nil, .fetch: return []
    case .inline(let keys): return keys
    case .file(let path):
      guard let text = read(path, .relayPublicKeyFile, isSecret: false) else { return [] }
      guard let keys = RelayKey.decodeFile(text) else {
        report(
          "\(path): holds no 64 hexadecimal digits a line, or more than \(RelayKey.maximumCount) lines; "
            + RelayKey.advice, .relayPublicKeyFile)
        return []
      }
      return keys
    }
  }

  mutating func secret(
    _ source: SecretSource?, _ key: ConfigurationKey, advice: String, _ decode: (String) -> String?
  ) -> Secret? {
    switch source {
    case nil: return nil
    case .inline(let secret): return secret
    case .file(let path):
      guard let text = read(path, key, isSecret: true) else { return nil }
      guard let decoded = decode(text) else {
        report("\(path): \(advice)", key)
        return nil
      }
      return Secret(decoded)
    }
  }

  mutating func certificate(
    _ source: SecretSource, _ password: SecretSource?, _ privateKeyFile: String?
  ) -> Credentials.APNsCertificate? {
    var text: String
    switch source {
    case .inline(let secret): text = secret.exposed
    case .file(let path):
      guard let bytes = readBytes(path, .apnsCertificateFile, isSecret: true) else { return nil }
      text = String(validating: bytes, as: UTF8.self) ?? ""
      // A .p12 is binary; its base64 is taken as well.
      if !CertificateText.isUsable(text) { text = Base64.encode(bytes) }
    }
    guard CertificateText.isPEM(text) else {
      let password = secret(password, .apnsCertificatePasswordFile, advice: "") {
        CertificateText.password($0)
      }
      return .pkcs12(base64: Secret(text), password: password ?? Secret(""))
    }
    guard let privateKeyFile else { return .pem(certificate: Secret(text), privateKey: Secret(text)) }
    let key = secret(
      .file(privateKeyFile), .apnsPrivateKeyFile, advice: "holds no PEM private key", PrivateKeyText.pem)
    return key.map { .pem(certificate: Secret(text), privateKey: $0) }
  }

  private mutating func read(_ path: String, _ key: ConfigurationKey, isSecret: Bool) -> String? {
    guard let bytes = readBytes(path, key, isSecret: isSecret) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      report("\(path): is no UTF-8 text", key)
      return nil
    }
    return text
  }

  private mutating func readBytes(_ path: String, _ key: ConfigurationKey, isSecret: Bool) -> [UInt8]? {
    do {
      let content = try FileContent.read(path)
      if isSecret, content.isWorldReadable {
        warnings.append(
          ConfigurationWarning(
            "\(path): can be read by every user; change that with: chmod 600 \(path)", key: key.rawValue,
            at: origins[key]))
      }
      return content.bytes
    } catch {
      report("\(path): \(error.reason)", key)
      return nil
    }
  }

  private mutating func report(_ message: String, _ key: ConfigurationKey) {
    problems.append(ConfigurationProblem(message, key: key.rawValue, at: origins[key]))
  }
}
