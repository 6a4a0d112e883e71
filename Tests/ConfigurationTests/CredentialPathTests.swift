import Configuration
import Testing

@Suite struct CredentialPathTests {
  private static let text = """
    [server]
    public_url = "https://push.example.com"
    [relay]
    public_key_file = "$CREDENTIALS_DIRECTORY/relay.key"
    [fcm]
    service_account_file = "$CREDENTIALS_DIRECTORY/sub/account.json"
    [apns]
    key_file = "$HOME/key.p8"
    key_id = "ABCDE12345"
    team_id = "FGHIJ67890"
    topic = "com.example.wallet"
    """

  @Test func theFolderTakesTheVariablesPlace() throws {
    let (configuration, _) = try load(Self.text, environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/x"])
    #expect(configuration.relay.publicKey == .file("/run/credentials/x/relay.key"))
    #expect(configuration.fcm?.serviceAccount == .file("/run/credentials/x/sub/account.json"))
    // No other variable means anything.
    guard case .token(.file(let path), _, _)? = configuration.apns?.authentication else {
      Issue.record("no key file")
      return
    }
    #expect(path.hasSuffix("/$HOME/key.p8"))
  }

  @Test func itWorksInTheEnvironmentToo() throws {
    let (configuration, _) = try load(
      Sample.minimal,
      environment: [
        "CREDENTIALS_DIRECTORY": "/c", "PUSHBOX_STORE_TOKEN_KEY_FILE": "$CREDENTIALS_DIRECTORY/token.key",
      ])
    #expect(configuration.store.tokenKeyFile == "/c/token.key")
  }

  @Test func withoutTheVariableThePlaceIsNamed() throws {
    let found = try problems(Self.text)
    #expect(found.count == 2)
    #expect(
      found.first?.hasPrefix("c.toml:4:19: relay.public_key_file: names $CREDENTIALS_DIRECTORY") == true)
  }
}
