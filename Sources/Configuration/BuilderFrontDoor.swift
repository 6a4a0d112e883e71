import Bytes

/// What strangers meet first: TLS, limits, proxies, and the relay's keys.
extension ConfigurationBuilder {
  mutating func buildTLS() -> Configuration.TLS? {
    guard values.mentioned.contains("tls") else { return nil }
    let certificate = text(.tlsCertificateFile)
    let key = text(.tlsKeyFile)
    if certificate == nil { missing(.tlsCertificateFile) }
    if key == nil { missing(.tlsKeyFile) }
    guard let certificate, let key else { return nil }
    return Configuration.TLS(certificateFile: certificate, keyFile: key)
  }

  mutating func buildLimits() -> Configuration.Limits {
    Configuration.Limits(
      registrations: integer(.limitsRegistrations), deletions: integer(.limitsDeletions),
      failedSignatures: integer(.limitsFailedSignatures), logins: integer(.limitsLogins),
      exempt: addressBlocks(.limitsExempt))
  }

  /// 0 means none.
  func limit(_ key: ConfigurationKey) -> Int? { integer(key) == 0 ? nil : integer(key) }

  mutating func addressBlocks(_ key: ConfigurationKey) -> [IPAddressBlock] {
    var blocks: [IPAddressBlock] = []
    for text in list(key) ?? [] {
      if let block = IPAddressBlock(text) {
        blocks.append(block)
      } else {
        report(
          "found \(KeyType.quoted(text)), expected an address or a block of them such as \"172.16.0.0/12\"",
          key)
      }
    }
    return blocks
  }

  /// Nil means any.
  mutating func buildCORSOrigins() -> Set<String>? {
    let texts = list(.serverCORSOrigins) ?? []
    if texts == ["*"] { return nil }
    var origins: Set<String> = []
    for text in texts {
      guard let url = try? HTTPURL(text), url.path.isEmpty, !text.hasSuffix("/") else {
        report(
          "found \(KeyType.quoted(text)), expected an origin such as \"https://wallet.example.com\", or \"*\" alone",
          .serverCORSOrigins)
        continue
      }
      origins.insert(url.origin)
    }
    return origins
  }

  mutating func buildRelay() -> Configuration.Relay {
    let validates = boolean(.relayValidateSignatures)
    var key: Configuration.PublicKeySource?
    switch pick(.relayPublicKey, .relayPublicKeyFile) {
    case .inline: key = inlineRelayKeys(isNeeded: validates)
    case .file(let path): key = .file(path)
    case .absent:
      if validates {
        missing(.relayPublicKey, "set relay.public_key or RELAY_PUBLIC_KEY; \(RelayKey.advice)")
      }
    case .failed: break
    }
    if !validates { warn("is false: anyone who knows a client ID can send pushes", .relayValidateSignatures) }
    let age = duration(.relayMaxTimestampAge)
    return Configuration.Relay(
      validateSignatures: validates, publicKey: key, maxTimestampAge: age == .zero ? nil : age)
  }

  private mutating func inlineRelayKeys(isNeeded: Bool) -> Configuration.PublicKeySource? {
    let texts = list(.relayPublicKey) ?? []
    if texts == ["fetch"] {
      guard let url = secureURL(.relayPublicKeyURL) else { return nil }
      return .fetch(url)
    }
    if !isNeeded, texts.allSatisfy(\.isEmpty) { return nil }
    let keys = texts.compactMap(RelayKey.decode)
    guard keys.count == texts.count, !keys.isEmpty else {
      report("is not 64 hexadecimal digits; \(RelayKey.advice)", .relayPublicKey)
      return nil
    }
    guard keys.count <= RelayKey.maximumCount else {
      report("lists \(keys.count) keys, expected at most \(RelayKey.maximumCount)", .relayPublicKey)
      return nil
    }
    return .inline(keys)
  }
}
