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
    #expect(credentials.relayPublicKey == [UInt8](repeating: 0xAB, count: 32))
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
