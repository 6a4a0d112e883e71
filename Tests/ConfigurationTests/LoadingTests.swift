import Configuration
import Testing

@Suite struct LoadingTests {
  @Test func defaults() throws {
    let (configuration, warnings) = try load(Sample.minimal)
    #expect(warnings == [])
    #expect(configuration.server.listen.map(\.description) == ["0.0.0.0:8080"])
    #expect(configuration.server.maxBodyBytes == 65_536)
    #expect(configuration.server.shutdownGrace == .seconds(30))
    #expect(configuration.relay.publicKey == .inline([[UInt8](repeating: 0xAB, count: 32)]))
    #expect(configuration.relay.maxTimestampAge == .seconds(259_200))
    #expect(configuration.clients.projectIDs == nil)
    #expect(configuration.clients.auth == .sticky)
    #expect(configuration.store.path == "/var/lib/pushbox")
    #expect(configuration.store.tokenKeyFile == "/var/lib/pushbox/token.key")
    #expect(configuration.store.mapSize == 64 << 30)
    #expect(configuration.push.deadline == .seconds(25))
    #expect(configuration.push.oversize == .trim)
    #expect(configuration.push.ttl == .seconds(300))
    #expect(configuration.apns == nil)
    #expect(configuration.fcm?.endpoint.origin == "https://fcm.googleapis.com")
    #expect(configuration.log.level == .info)
  }

  @Test func valuesOfTheFile() throws {
    let (configuration, warnings) = try load(
      """
      [server]
      listen = ["127.0.0.1:80", "[::1]:81", "localhost:0"]
      public_url = "HTTPS://Push.Example.com:8443/a/b//"
      max_body_bytes = "1MiB"
      idle_timeout_ms = "2m"
      [relay]
      validate_signatures = false
      max_timestamp_age_s = 0
      [clients]
      project_ids = ["a-1", "b_2"]
      auth = "sticky"
      [store]
      path = "data"
      delivered_days = 1
      [push]
      oversize = "reject"
      ttl_s = "1h"
      [apns]
      key_file = "key.p8"
      key_id = "ABCDE12345"
      team_id = "FGHIJ67890"
      topic = "com.example.wallet"
      sandbox_endpoint = "https://localhost:2197"
      ca_file = "/etc/ca.pem"
      """)
    #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:80", "[::1]:81", "127.0.0.1:0"])
    #expect(configuration.server.publicURL.text == "HTTPS://Push.Example.com:8443/a/b")
    #expect(configuration.server.publicURL.origin == "https://push.example.com:8443")
    #expect(configuration.server.publicURL.path == "/a/b")
    #expect(configuration.server.publicURL.port == 8443)
    #expect(configuration.server.maxBodyBytes == 1 << 20)
    #expect(configuration.server.idleTimeout == .seconds(120))
    #expect(configuration.relay.publicKey == nil)
    #expect(configuration.relay.maxTimestampAge == nil)
    #expect(configuration.clients.projectIDs == ["a-1", "b_2"])
    #expect(configuration.clients.auth == .sticky)
    #expect(configuration.push.oversize == .reject)
    #expect(configuration.push.ttl == .seconds(3_600))
    #expect(configuration.apns?.sandboxEndpoint.port == 2197)
    #expect(configuration.apns?.caFile == "/etc/ca.pem")
    #expect(
      warnings == [
        "c.toml:7:23: relay.validate_signatures: is false: anyone who knows a client ID can send pushes"
      ])
  }

  @Test func relativePathsStartAtTheFilesFolder() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Sample.minimal + "[store]\npath = \"data\"\n", to: "c.toml")
    let (configuration, _) = try Configuration.load(file: file, environment: [:])
    #expect(configuration.store.path == "\(folder.path)/data")
    #expect(configuration.store.tokenKeyFile == "\(folder.path)/data/token.key")
    let (overridden, _) = try Configuration.load(file: file, environment: ["PUSHBOX_STORE_PATH": "here"])
    #expect(overridden.store.path == "here")
  }

  @Test func theEnvironmentOverridesTheFile() throws {
    let (configuration, warnings) = try load(
      Sample.minimal,
      environment: [
        "PORT": "3000", "PUBLIC_URL": "https://legacy.example",
        "PUSHBOX_SERVER_PUBLIC_URL": "https://new.example",
        "PUSHBOX_SERVER_WORKERS": "3", "PUSHBOX_SERVER_MAX_BODY_BYTES": "128KiB",
        "PUSHBOX_PUSH_DEADLINE_MS": "5s",
        "PUSHBOX_CLIENTS_PROJECT_IDS": "a, b,c", "PUSHBOX_LOG_FORMAT": "json",
        "LOG_LEVEL": "warn,echo-server=debug",
        "PUSHBOX_CLIENTS_AUTH": "", "HOME": "/root",
      ])
    #expect(warnings == [])
    #expect(configuration.server.listen.map(\.description) == ["0.0.0.0:3000"])
    #expect(configuration.server.publicURL.text == "https://new.example")
    #expect(configuration.server.workers == 3)
    #expect(configuration.server.maxBodyBytes == 131_072)
    #expect(configuration.push.deadline == .seconds(5))
    #expect(configuration.clients.projectIDs == ["a", "b", "c"])
    #expect(configuration.log.format == .json)
    #expect(configuration.log.level == .warning)
  }

  @Test func originsAreKept() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Sample.minimal, to: "c.toml")
    let (configuration, _) = try Configuration.load(file: file, environment: ["PORT": "3000"])
    #expect(configuration.origins[.serverListen]?.description == "environment PORT")
    #expect(configuration.origins[.serverPublicURL] == .file(path: file, line: 2, column: 14))
    #expect(configuration.origins[.logLevel] == .default)
    #expect(configuration.origins[.apnsKey] == nil)
  }

  /// The variables that the Rust server documents for one tenant.
  private static let legacy = [
    "PUBLIC_URL": "https://push.example.com", "RELAY_PUBLIC_KEY": Sample.relayKey,
    "DATABASE_URL": "postgres://user:hunter2@db/echo",
    "TENANT_DATABASE_URL": "postgres://user:hunter2@db/tenants",
    "LOG_LEVEL": "info,echo-server=info", "VALIDATE_SIGNATURES": "true", "APNS_TYPE": "token",
    "APNS_TOPIC": "com.example.wallet", "APNS_KEY_ID": "ABCDE12345", "APNS_TEAM_ID": "FGHIJ67890",
    "APNS_PKCS8_PEM":
      "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tClZFOVFVMFZEVWtWVQotLS0tLUVORCBQUklWQVRFIEtFWS0tLS0tCg==",
    "FCM_V1_CREDENTIALS": Sample.account,
  ]

  @Test func worksWithTheEnvironmentOfTheRustServerAlone() throws {
    let (configuration, warnings) = try load(nil, environment: Self.legacy)
    #expect(configuration.apns?.topic == "com.example.wallet")
    #expect(
      warnings == [
        "environment DATABASE_URL: has no effect: there is no database server; registrations are in the folder store.path",
        "environment TENANT_DATABASE_URL: has no effect: there are no tenants; "
          + "configure [apns] and [fcm], and clients.project_ids",
      ])
    let (credentials, _) = try Credentials.load(configuration)
    #expect(credentials.apnsKey?.exposed == Sample.pem)
    #expect(credentials.fcmServiceAccount?.exposed == Sample.account)
    #expect(credentials.relayPublicKeys.first?.count == 32)
  }

  @Test func aFileFromAHigherLayerReplacesAnInlineSecret() throws {
    let (configuration, _) = try load(
      Sample.minimal, environment: ["PUSHBOX_FCM_SERVICE_ACCOUNT_FILE": "/run/account.json"])
    guard case .file("/run/account.json")? = configuration.fcm?.serviceAccount else {
      Issue.record("the file in the environment must win")
      return
    }
    let (reversed, _) = try load(
      Sample.minimal.replacing(
        "service_account = '\(Sample.account)'", with: "service_account_file = \"x.json\""),
      environment: ["FCM_V1_CREDENTIALS": Sample.account])
    guard case .inline? = reversed.fcm?.serviceAccount else {
      Issue.record("the inline value in the environment must win")
      return
    }
  }
}
