/// The keys that a configuration names, read from their files where it does so.
public struct Credentials: Sendable {
  /// 32 bytes; nil when the configuration names none.
  public let relayPublicKey: [UInt8]?
  /// PEM text, PKCS #8 or SEC 1; nil without `[apns]`.
  public let apnsKey: Secret?
  /// JSON text; nil without `[fcm]`.
  public let fcmServiceAccount: Secret?

  /// Reads the files that `configuration` names. Throws all problems at once. A secret file that everyone may read
  /// is a warning.
  public static func load(
    _ configuration: Configuration
  ) throws(ConfigurationError) -> (Credentials, warnings: [ConfigurationWarning]) {
    var loader = CredentialsLoader(origins: configuration.origins)
    let relayPublicKey = loader.relayPublicKey(configuration.relay.publicKey)
    let apnsKey = loader.secret(
      configuration.apns?.key, .apnsKeyFile,
      advice: "holds no PEM private key, expected a token signing key (.p8)",
      PrivateKeyText.pem)
    let fcmServiceAccount = loader.secret(
      configuration.fcm?.serviceAccount, .fcmServiceAccountFile,
      advice: "holds no JSON object, expected the service account's JSON", ServiceAccountText.json)
    guard loader.problems.isEmpty else { throw ConfigurationError(problems: loader.problems) }
    let credentials = Credentials(
      relayPublicKey: relayPublicKey, apnsKey: apnsKey, fcmServiceAccount: fcmServiceAccount)
    return (credentials, loader.warnings)
  }
}

private struct CredentialsLoader {
  let origins: [ConfigurationKey: ConfigurationOrigin]
  private(set) var problems: [ConfigurationProblem] = []
  private(set) var warnings: [ConfigurationWarning] = []

  init(origins: [ConfigurationKey: ConfigurationOrigin]) { self.origins = origins }

  mutating func relayPublicKey(_ source: Configuration.PublicKeySource?) -> [UInt8]? {
    switch source {
    case nil: return nil
    case .inline(let bytes): return bytes
    case .file(let path):
      guard let text = read(path, .relayPublicKeyFile, isSecret: false) else { return nil }
      guard let key = RelayKey.decode(text) else {
        report("\(path): holds no 64 hexadecimal digits; \(RelayKey.advice)", .relayPublicKeyFile)
        return nil
      }
      return key
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

  private mutating func read(_ path: String, _ key: ConfigurationKey, isSecret: Bool) -> String? {
    do {
      let content = try FileContent.read(path)
      guard let text = String(validating: content.bytes, as: UTF8.self) else {
        report("\(path): is no UTF-8 text", key)
        return nil
      }
      if isSecret, content.isWorldReadable {
        warnings.append(
          ConfigurationWarning(
            "\(path): can be read by every user; change that with: chmod 600 \(path)", key: key.rawValue,
            at: origins[key]))
      }
      return text
    } catch {
      report("\(path): \(error.reason)", key)
      return nil
    }
  }

  private mutating func report(_ message: String, _ key: ConfigurationKey) {
    problems.append(ConfigurationProblem(message, key: key.rawValue, at: origins[key]))
  }
}
