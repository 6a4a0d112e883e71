/// The sections of the gateways and the way to them.
extension ConfigurationBuilder {
  mutating func buildAPNs() -> Configuration.APNs? {
    guard values.mentioned.contains("apns") else {
      if values.entries[.apnsTopic] != nil {
        warn(
          "has no effect: without APNS_TYPE and a key nothing is sent to APNs, and iPhones can't register",
          .apnsTopic)
      }
      return nil
    }
    let usesCertificate = self.usesCertificate
    let authentication = usesCertificate ? buildCertificate() : buildToken()
    var topic: String?
    if !usesCertificate || text(.apnsTopic) != nil {
      topic = name(.apnsTopic, 1...255, "the app's bundle ID, such as com.example.wallet", punctuation: "-.")
    }
    let production = endpoint(.apnsProductionEndpoint)
    let sandbox = endpoint(.apnsSandboxEndpoint)
    guard let authentication, let production, let sandbox else { return nil }
    return Configuration.APNs(
      authentication: authentication, topic: topic, productionEndpoint: production, sandboxEndpoint: sandbox,
      caFile: text(.apnsCAFile), maxConnections: integer(.apnsMaxConnections))
  }

  /// A certificate counts unless a key comes from a higher layer; both from one layer contradict each other.
  private var usesCertificate: Bool {
    guard let certificate = layer(.apnsCertificate, .apnsCertificateFile) else { return false }
    guard let key = layer(.apnsKey, .apnsKeyFile) else { return true }
    return certificate.rawValue >= key.rawValue
  }

  private func layer(_ keys: ConfigurationKey...) -> ConfigurationValues.Layer? {
    keys.compactMap { values.entries[$0]?.layer }.max { $0.rawValue < $1.rawValue }
  }

  private mutating func buildToken() -> Configuration.APNsAuthentication? {
    let key = secret(.apnsKey, .apnsKeyFile, advice: "the token signing key (.p8)") { PrivateKeyText.pem($0) }
    let keyID = name(.apnsKeyID, 10...10, "10 letters and digits")
    let teamID = name(.apnsTeamID, 10...10, "10 letters and digits")
    guard let key else { return nil }
    return .token(key: key, keyID: keyID, teamID: teamID)
  }

  private mutating func buildCertificate() -> Configuration.APNsAuthentication? {
    if let key = layer(.apnsKey, .apnsKeyFile), key == layer(.apnsCertificate, .apnsCertificateFile) {
      report(
        "is set together with a signing key; remove one of them",
        values.entries[.apnsCertificateFile] == nil ? .apnsCertificate : .apnsCertificateFile)
      return nil
    }
    let certificate = secret(
      .apnsCertificate, .apnsCertificateFile, advice: "the push certificate: a .p12 in base64, or PEM text"
    ) { CertificateText.isUsable($0) ? $0 : nil }
    var password: SecretSource?
    switch pick(.apnsCertificatePassword, .apnsCertificatePasswordFile) {
    case .inline(let text): password = .inline(Secret(text))
    case .file(let path): password = .file(path)
    case .absent: break
    case .failed: return nil
    }
    guard let certificate else { return nil }
    return .certificate(certificate, password: password, privateKeyFile: text(.apnsPrivateKeyFile))
  }

  mutating func buildFCM() -> Configuration.FCM? {
    guard values.mentioned.contains("fcm") else { return nil }
    let account = secret(.fcmServiceAccount, .fcmServiceAccountFile, advice: "the service account's JSON") {
      ServiceAccountText.json($0)
    }
    let endpoint = endpoint(.fcmEndpoint)
    guard let account, let endpoint else { return nil }
    return Configuration.FCM(
      serviceAccount: account, endpoint: endpoint, caFile: text(.fcmCAFile))
  }

  mutating func buildOutbound() -> Configuration.Outbound {
    var proxy: Configuration.Outbound.Proxy?
    if let text = text(.outboundProxy) {
      do throws(ProxyURL.Malformed) {
        proxy = try ProxyURL.parse(text)
      } catch {
        // Not quoted: it may hold a password.
        report("is no usable proxy: \(error.reason)", .outboundProxy)
      }
    }
    return Configuration.Outbound(proxy: proxy, caFile: text(.outboundCAFile))
  }
}
