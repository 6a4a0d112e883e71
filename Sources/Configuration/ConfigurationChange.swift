/// A key whose value is another one than before. Never holds a secret.
public struct ConfigurationChange: Sendable, Equatable, CustomStringConvertible {
  public let key: ConfigurationKey
  /// As TOML, a placeholder for a secret; nil when the key had no value.
  public let old: String?
  /// As TOML, a placeholder for a secret; nil when the key has no value any more.
  public let new: String?
  /// Where the new value is, or the old one was.
  public let origin: ConfigurationOrigin

  /// `push.ttl_seconds: 0 -> 60 (config.toml:3:15)`.
  public var description: String {
    let values = key.isSecret && old != nil && new != nil ? "another value" : "\(old ?? "-") -> \(new ?? "-")"
    return "\(key.rawValue): \(values) (\(origin))"
  }
}

extension Configuration {
  /// The keys whose values differ from those of `old`, in the order of the example file. Where a value comes from
  /// makes no difference.
  public func changes(since old: Configuration) -> [ConfigurationChange] {
    ConfigurationKey.allCases.compactMap { key in
      let before = old.entries.first { $0.key == key }
      let after = entries.first { $0.key == key }
      guard before?.literal != after?.literal || before?.secret != after?.secret,
        let origin = after?.origin ?? before?.origin
      else { return nil }
      return ConfigurationChange(key: key, old: before?.literal, new: after?.literal, origin: origin)
    }
  }
}
