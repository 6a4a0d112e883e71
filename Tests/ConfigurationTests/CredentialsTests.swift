import Configuration
import Testing

@Suite struct CredentialsTests {
  private func configuration(_ folder: TemporaryFolder) throws -> Configuration {
    let file = try folder.write(
      """
      [server]
      public_url = "https://push.example.com"
      [relay]
      public_key_file = "relay.key"
      [apns]
      key_file = "AuthKey.p8"
      key_id = "ABCDE12345"
      team_id = "FGHIJ67890"
      topic = "com.example.wallet"
      [fcm]
      service_account_file = "account.json"
      """, to: "c.toml")
    return try Configuration.load(file: file, environment: [:]).0
  }

  @Test func filesAreReadFromTheFolderOfTheConfiguration() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("\(Sample.relayKey)\n", to: "relay.key", mode: 0o644)
    _ = try folder.write(Sample.pem, to: "AuthKey.p8")
    _ = try folder.write(Sample.account, to: "account.json", mode: 0o644)
    let (credentials, warnings) = try Credentials.load(try configuration(folder))
    #expect(credentials.relayPublicKeys == [[UInt8](repeating: 0xAB, count: 32)])
    #expect(credentials.apnsKey?.exposed == Sample.pem)
    #expect(credentials.fcmServiceAccount?.exposed == Sample.account)
    // The relay's key is public; the service account is not.
    let path = "\(folder.path)/account.json"
    #expect(
      warnings.map(\.description) == [
        "\(folder.path)/c.toml:11:24: fcm.service_account_file: "
          + "\(path): can be read by every user; change that with: chmod 600 \(path)"
      ])
  }

  @Test func allProblemsAreReportedAtOnceAndQuoteNothing() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("TOPSECRET", to: "AuthKey.p8")
    _ = try folder.write("TOPSECRET", to: "account.json")
    let configuration = try configuration(folder)
    do {
      _ = try Credentials.load(configuration)
      Issue.record("must not be accepted")
    } catch {
      #expect(
        error.problems.map { $0.description.replacing("\(folder.path)/", with: "") } == [
          "c.toml:4:19: relay.public_key_file: relay.key: can't open: there is no such file",
          "c.toml:6:12: apns.key_file: AuthKey.p8: holds no PEM private key, expected a token signing key (.p8)",
          "c.toml:11:24: fcm.service_account_file: account.json: holds no JSON object, "
            + "expected the service account's JSON",
        ])
    }
  }

  private func withCertificate(_ lines: String) -> String {
    """
    [server]
    public_url = "https://push.example.com"
    [relay]
    public_key = "\(Sample.relayKey)"
    [apns]
    \(lines)
    """
  }

  @Test func aCertificateIsP12OrPEM() throws {
    let folder = try TemporaryFolder()
    func credentials(_ lines: String) throws -> Credentials {
      let file = try folder.write(withCertificate(lines), to: "c.toml")
      return try Credentials.load(try Configuration.load(file: file, environment: [:]).0).0
    }
    let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    _ = try folder.write("\u{30}\u{1}\u{2}", to: "push.p12")
    _ = try folder.write("secret\n", to: "password")
    _ = try folder.write(certificate, to: "push.pem")
    _ = try folder.write(Sample.pem, to: "key.pem")
    guard
      case .pkcs12(let file, let password) = try credentials(
        "certificate_file = \"push.p12\"\ncertificate_password_file = \"password\""
      ).apnsCertificate
    else {
      Issue.record("a .p12 must be taken")
      return
    }
    #expect(file.exposed == "MAEC")
    #expect(password.exposed == "secret")
    guard
      case .pem(let chain, let key) = try credentials(
        "certificate_file = \"push.pem\"\nprivate_key_file = \"key.pem\""
      ).apnsCertificate
    else {
      Issue.record("a PEM pair must be taken")
      return
    }
    #expect(chain.exposed == certificate)
    #expect(key.exposed == Sample.pem)
    guard
      case .pem(_, let both) = try credentials("certificate_file = \"push.pem\"").apnsCertificate
    else {
      Issue.record("one PEM file must be taken")
      return
    }
    #expect(both.exposed == certificate)
  }

  @Test func keyAndCertificateContradictEachOther() throws {
    #expect(
      try problems(withCertificate("certificate_file = \"a.p12\"\nkey_file = \"a.p8\"")) == [
        "c.toml:6:20: apns.certificate_file: is set together with a signing key; remove one of them"
      ])
  }

  @Test func theRustServersCertificateVariables() throws {
    let environment = [
      "PUBLIC_URL": "https://push.example.com", "RELAY_PUBLIC_KEY": Sample.relayKey,
      "APNS_TYPE": "certificate", "APNS_CERTIFICATE": "MAEC", "APNS_CERTIFICATE_PASSWORD": "secret",
      "APNS_TOPIC": "com.example.wallet", "APNS_KEY_ID": "left over",
    ]
    let (configuration, warnings) = try load(nil, environment: environment)
    #expect(warnings == ["environment APNS_KEY_ID: has no effect beside APNS_TYPE"])
    let (credentials, _) = try Credentials.load(configuration)
    guard case .pkcs12(let file, let password) = credentials.apnsCertificate else {
      Issue.record("got \(credentials)")
      return
    }
    #expect(file.exposed == "MAEC")
    #expect(password.exposed == "secret")
    #expect(configuration.apns?.topic == "com.example.wallet")
  }

  @Test func theProxyMayHaveAPassword() throws {
    let (configuration, _) = try load(
      Sample.minimal + "[outbound]\nproxy = \"http://us%40er:p%3Aw@proxy.example:3128/\"\n")
    let proxy = try #require(configuration.outbound.proxy)
    #expect(proxy.host == "proxy.example")
    #expect(proxy.port == 3128)
    #expect(proxy.user == "us@er")
    #expect(proxy.password?.exposed == "p:w")
    #expect(!"\(configuration)".contains("p:w"))
    for text in ["https://p:1", "http://p", "http://@p:1", "http://%0a:x@p:1", "http://u:TOPSECRET@p:0"] {
      let found = try problems(Sample.minimal + "[outbound]\nproxy = \"\(text)\"\n")
      #expect(found.count == 1 && found[0].contains("outbound.proxy: is no usable proxy: "), "\(text)")
      #expect(!found.joined().contains("TOPSECRET"))
    }
  }

  @Test func secretsAreNotPrinted() throws {
    let (configuration, _) = try load(
      Sample.minimal,
      environment: [
        "PUSHBOX_APNS_KEY": Sample.pem,
        "APNS_KEY_ID": "ABCDE12345", "APNS_TEAM_ID": "FGHIJ67890", "APNS_TOPIC": "com.example.wallet",
      ])
    let (credentials, _) = try Credentials.load(configuration)
    var dumped = ""
    dump(configuration, to: &dumped)
    dump(credentials, to: &dumped)
    for text in [
      "\(configuration)", String(reflecting: configuration), "\(credentials)",
      String(reflecting: credentials), dumped,
    ] {
      #expect(text.contains("<redacted>"))
      #expect(!text.contains("TOPSECRET"))
      #expect(!text.contains("VE9QU0VDUkVU"))
    }
  }
}
