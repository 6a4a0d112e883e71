/// One key of the effective configuration, for people.
public struct ConfigurationEntry: Sendable, Equatable {
  public let key: ConfigurationKey
  /// As TOML; a placeholder for a secret.
  public let literal: String
  public let origin: ConfigurationOrigin
  /// What the placeholder stands for, to tell whether it changed.
  let secret: Secret?
}

extension ConfigurationKey {
  /// What it means, as the example file says it.
  public var help: String { definition.help }
}

extension Configuration {
  /// The effective configuration as TOML, each value with where it came from. Holds no secret.
  public var shown: String {
    var text = ""
    var section = ""
    for entry in entries {
      if entry.key.section != section {
        section = entry.key.section
        text += "\(text.isEmpty ? "" : "\n")[\(section)]\n"
      }
      text += "\(entry.key.name) = \(entry.literal)  # \(KeyType.printable(entry.origin.description))\n"
    }
    return text
  }
}

extension ConfigurationEntry {
  /// Those of `values` that count: of a secret and its file only the one in use, and nothing of a gateway
  /// that is not configured.
  static func list(_ values: ConfigurationValues) -> [ConfigurationEntry] {
    let alternatives: [ConfigurationKey: ConfigurationKey] = [
      .relayPublicKey: .relayPublicKeyFile, .relayPublicKeyFile: .relayPublicKey,
      .apnsKey: .apnsKeyFile, .apnsKeyFile: .apnsKey,
      .fcmServiceAccount: .fcmServiceAccountFile, .fcmServiceAccountFile: .fcmServiceAccount,
      .adminPasswordHash: .adminPasswordHashFile, .adminPasswordHashFile: .adminPasswordHash,
      .metricsToken: .metricsTokenFile, .metricsTokenFile: .metricsToken,
    ]
    return ConfigurationKey.allCases.compactMap { key in
      guard let entry = values.entries[key] else { return nil }
      let isOptional = ConfigurationSchema.sections.contains { $0.name == key.section && $0.isOptional }
      if isOptional, !values.mentioned.contains(key.section) { return nil }
      if let other = alternatives[key].flatMap({ values.entries[$0] }),
        other.layer.rawValue > entry.layer.rawValue
      {
        return nil
      }
      let literal = entry.value.literal
      return ConfigurationEntry(
        key: key, literal: key.isSecret ? "\"<redacted>\"" : literal, origin: entry.origin,
        secret: key.isSecret ? Secret(literal) : nil)
    }
  }
}

extension RawValue {
  /// As TOML.
  fileprivate var literal: String {
    switch self {
    case .text(let text): RawValue.quoted(text)
    case .boolean(let value): "\(value)"
    case .integer(let number): "\(number)"
    case .list(let texts): "[" + texts.map(RawValue.quoted).joined(separator: ", ") + "]"
    }
  }

  /// A basic string (TOML 1.0.0, "String").
  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
