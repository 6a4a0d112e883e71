/// Reads `[admin]` and `[metrics]`.
extension ConfigurationBuilder {
  /// Nil without the section: there is no admin page then.
  mutating func buildAdmin() -> Configuration.Admin? {
    guard values.mentioned.contains("admin") else { return nil }
    let hash = secret(
      .adminPasswordHash, .adminPasswordHashFile, advice: "the output of: pushbox hash-password",
      PasswordHashText.hash)
    let listen = buildListen(.adminListen)
    guard let hash else { return nil }
    return Configuration.Admin(
      passwordHash: hash, listen: listen, sessionTTL: duration(.adminSessionTTL))
  }

  mutating func buildMetrics() -> Configuration.Metrics {
    var token: SecretSource?
    switch pick(.metricsToken, .metricsTokenFile) {
    case .inline(let text):
      if MetricsToken.isUsable(text) {
        token = .inline(Secret(text))
      } else {
        report("is no token: \(MetricsToken.advice)", .metricsToken)
      }
    case .file(let path): token = .file(path)
    case .absent, .failed: break
    }
    if token == nil, list(.metricsAllow) == [] {
      report("lets nobody in; remove the key to let everybody in, or set metrics.token", .metricsAllow)
    }
    return Configuration.Metrics(allow: addressBlocks(.metricsAllow), token: token)
  }
}
