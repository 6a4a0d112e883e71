/// Reads the values of single keys, and reports those that are missing or wrong.
extension ConfigurationBuilder {
  func text(_ key: ConfigurationKey) -> String? {
    if case .text(let text)? = values.entries[key]?.value { text } else { nil }
  }

  func list(_ key: ConfigurationKey) -> [String]? {
    if case .list(let list)? = values.entries[key]?.value { list } else { nil }
  }

  func boolean(_ key: ConfigurationKey) -> Bool {
    if case .boolean(let value)? = values.entries[key]?.value { value } else { false }
  }

  func integer(_ key: ConfigurationKey) -> Int {
    if case .integer(let value)? = values.entries[key]?.value { Int(value) } else { 0 }
  }

  func duration(_ key: ConfigurationKey) -> Duration {
    guard case .duration(let unit, _) = key.definition.type else { return .zero }
    return .milliseconds(Int64(integer(key)) * unit.rawValue)
  }

  func choice<Choice: RawRepresentable<String>>(_ key: ConfigurationKey, _ standIn: Choice) -> Choice {
    text(key).flatMap { Choice(rawValue: $0) } ?? standIn
  }

  /// A text of letters, digits and `punctuation`; the key is required.
  mutating func name(
    _ key: ConfigurationKey, _ length: ClosedRange<Int>, _ expectation: String, punctuation: String = ""
  ) -> String {
    guard let text = text(key) else {
      missing(key)
      return ""
    }
    if !isName(text, length, punctuation) {
      report("found \(KeyType.quoted(text)), expected \(expectation)", key)
    }
    return text
  }

  func isName(_ text: String, _ length: ClosedRange<Int>, _ punctuation: String) -> Bool {
    length.contains(text.utf8.count)
      && text.utf8.allSatisfy { HostAndPort.isAlphanumeric($0) || punctuation.utf8.contains($0) }
  }

  mutating func requiredURL(_ key: ConfigurationKey) -> HTTPURL? {
    guard let text = text(key) else {
      missing(key)
      return nil
    }
    do {
      return try HTTPURL(text)
    } catch {
      // Not quoted: it may hold a password.
      report("is no usable URL: \(error.reason)", key)
      return nil
    }
  }

  mutating func secureURL(_ key: ConfigurationKey) -> HTTPURL? {
    guard let url = requiredURL(key) else { return nil }
    if !url.isSecure { report("is no https URL; gateways are reached by https only", key) }
    return url
  }

  mutating func endpoint(_ key: ConfigurationKey) -> HTTPURL? {
    guard let url = secureURL(key) else { return nil }
    if !url.path.isEmpty { report("has a path, expected only https://host:port", key) }
    return url
  }

  // MARK: - Inline or file

  enum Pick {
    case inline(String)
    case file(String)
    case absent
    /// Reported.
    case failed
  }

  /// The one of two keys that applies: the one from the higher layer. Two of one layer contradict each other.
  mutating func pick(_ inlineKey: ConfigurationKey, _ fileKey: ConfigurationKey) -> Pick {
    if values.failed.contains(inlineKey) || values.failed.contains(fileKey) { return .failed }
    let inline = values.entries[inlineKey]
    let file = values.entries[fileKey]
    if let inline, let file, inline.layer == file.layer {
      report("is set together with \(inlineKey.rawValue); remove one of them", fileKey)
      return .failed
    }
    if let inline, inline.layer.rawValue > file?.layer.rawValue ?? -1 {
      return .inline(text(inlineKey) ?? "")
    }
    return file == nil ? .absent : .file(text(fileKey) ?? "")
  }

  mutating func secret(
    _ inlineKey: ConfigurationKey, _ fileKey: ConfigurationKey, advice: String, _ decode: (String) -> String?
  ) -> SecretSource? {
    switch pick(inlineKey, fileKey) {
    case .inline(let text):
      guard let decoded = decode(text) else {
        report("is not \(advice)", inlineKey)
        return nil
      }
      return .inline(Secret(decoded))
    case .file(let path): return .file(path)
    case .absent:
      missing(fileKey, "set \(fileKey.rawValue), or \(inlineKey.rawValue), to \(advice)")
      return nil
    case .failed: return nil
    }
  }

  // MARK: - Reports

  mutating func report(_ message: String, _ key: ConfigurationKey) {
    values.report(message, key: key.rawValue, at: values.entries[key]?.origin)
  }

  mutating func warn(_ message: String, _ key: ConfigurationKey) {
    values.warn(message, key: key.rawValue, at: values.entries[key]?.origin)
  }

  mutating func missing(_ key: ConfigurationKey, _ advice: String? = nil) {
    if values.failed.contains(key) { return }
    values.report(
      "is missing; " + (advice ?? "set \(key.rawValue) in the file, or \(key.environmentName)"),
      key: key.rawValue)
  }
}
