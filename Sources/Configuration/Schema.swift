/// What is known of one key: it drives parsing, defaults, the example file and the messages.
struct KeyDefinition {
  let type: KeyType
  /// The default as a TOML literal; nil when there is none.
  let fallback: String?
  /// What the example file shows when there is no default, as a TOML literal.
  let sample: String
  let isRequired: Bool
  /// Shown in the example file.
  let help: String

  init(
    _ type: KeyType, default fallback: String? = nil, sample: String = "\"\"", required: Bool = false,
    _ help: String
  ) {
    self.type = type
    self.fallback = fallback
    self.sample = sample
    isRequired = required
    self.help = help
  }
}

extension ConfigurationKey {
  private static let anyCount: ClosedRange<Int64> = 1...1_000_000_000

  /// The table of keys.
  var definition: KeyDefinition {
    switch self {
    case .serverListen:
      KeyDefinition(
        .list, default: "\"0.0.0.0:8080\"",
        "Address and port to listen on, or an array of them. IPv6: \"[::]:8080\".")
    case .serverPublicURL:
      KeyDefinition(
        .text, sample: "\"https://push.example.com\"", required: true,
        "The URL under which the relay and the wallets reach this server. It may carry a path.\n"
          + "Tokens of clients must name it as their audience.")
    case .serverWorkers:
      KeyDefinition(.integer(0...1024), default: "0", "Worker threads; 0 means one for each core.")
    case .serverMaxConnections:
      KeyDefinition(
        .integer(1...10_000_000), default: "10000",
        "Connections accepted at once, each worker an equal share of them.")
    case .serverMaxConnectionsPerAddress:
      KeyDefinition(
        .integer(0...10_000_000), default: "500",
        "Connections of one address at once (IPv6: of one /64), trusted proxies apart; 0 for no limit.")
    case .serverMaxRequestsPerConnection:
      KeyDefinition(
        .integer(0...2_000_000_000), default: "100000",
        "After so many requests a connection is closed in good order; 0 for no limit.")
    case .serverTrustedProxies:
      KeyDefinition(
        .list, default: "[]",
        "Reverse proxies before this server, as addresses or blocks such as \"172.16.0.0/12\": only they are\n"
          + "believed when X-Forwarded-For says whose request it is. Needed for the limits below to count clients."
      )
    case .serverCORSOrigins:
      KeyDefinition(
        .list, default: "[\"*\"]",
        "Web pages that may register clients, as origins such as \"https://wallet.example.com\"; \"*\" means any."
      )
    case .serverMaxBodyBytes:
      KeyDefinition(
        .size(1_024...16_777_216), default: "\"64KiB\"", "Largest request body; beyond it the answer is 413.")
    case .serverHeaderTimeout:
      KeyDefinition(
        .duration(.milliseconds, 100...600_000), default: "10000",
        "How long the head of a request may take to arrive.")
    case .serverBodyTimeout:
      KeyDefinition(
        .duration(.milliseconds, 100...600_000), default: "10000",
        "How long a request's body may take to arrive after its head.")
    case .serverWriteTimeout:
      KeyDefinition(
        .duration(.milliseconds, 100...600_000), default: "30000",
        "How long a peer may take none of the bytes of an answer.")
    case .serverIdleTimeout:
      KeyDefinition(
        .duration(.milliseconds, 100...86_400_000), default: "75000",
        "How long a connection may stay open without a request.")
    case .serverShutdownGrace:
      KeyDefinition(
        .duration(.milliseconds, 0...600_000), default: "30000",
        "How long requests in flight may take to finish when the server stops.")
    case .serverWatchConfig:
      KeyDefinition(
        .boolean, default: "false",
        "Whether to reload by itself when this file or a key file that it names changes, as `pushbox reload` does."
      )

    case .tlsCertificateFile:
      KeyDefinition(
        .path, sample: "\"fullchain.pem\"", required: true,
        "PEM file of the server's certificate and its issuers. A renewed one is taken within seconds.")
    case .tlsKeyFile:
      KeyDefinition(.path, sample: "\"privkey.pem\"", required: true, "PEM file of the certificate's key.")

    case .limitsRegistrations:
      KeyDefinition(
        .integer(0...1_000_000), default: "300",
        "Registrations of one address (IPv6: of one /64) a minute; 0 for no limit. Phones of one mobile network\n"
          + "may share an address.")
    case .limitsDeletions: KeyDefinition(.integer(0...1_000_000), default: "300", "The same for deletions.")
    case .limitsFailedSignatures:
      KeyDefinition(
        .integer(0...1_000_000), default: "60",
        "Pushes of one address with a missing or wrong signature a minute. Pushes that verify are never limited."
      )
    case .limitsLogins:
      KeyDefinition(
        .integer(0...1_000_000), default: "10", "Tries to log in to the admin page of one address a minute.")
    case .limitsExempt:
      KeyDefinition(
        .list, default: "[\"127.0.0.0/8\", \"::1\"]",
        "Addresses and blocks that are not limited, but for log-ins. Trusted proxies are not meant: the limits\n"
          + "count the clients behind them.")

    case .relayPublicKey:
      KeyDefinition(
        .list, sample: "\"\"", required: true,
        "The relay's Ed25519 public key, 64 hexadecimal digits, or an array of keys while one replaces another.\n"
          + "\"fetch\" gets it at the first start from relay.public_key_url and keeps it.\n"
          + "It is served at GET https://relay.walletconnect.com/public-key")
    case .relayPublicKeyFile:
      KeyDefinition(
        .path, sample: "\"relay.key\"", "Or the file that holds it, or several of them, one a line.")
    case .relayPublicKeyURL:
      KeyDefinition(
        .text, default: "\"https://relay.walletconnect.com/public-key\"", "Where \"fetch\" gets the key.")
    case .relayValidateSignatures:
      KeyDefinition(
        .boolean, default: "true",
        "Whether pushes must carry the relay's signature. Only turn this off for tests.")
    case .relayMaxTimestampAge:
      KeyDefinition(
        .duration(.seconds, 0...31_536_000), default: "259200",
        "Oldest signature accepted; 0 accepts any. The relay retries for up to 3 days.")

    case .clientsProjectIDs:
      KeyDefinition(
        .list, sample: "[\"0123456789abcdef0123456789abcdef\"]",
        "Project IDs accepted in /{project_id}/clients; without this key, any.")
    case .clientsAuth:
      KeyDefinition(
        .choice(["optional", "sticky", "required"]), default: "\"sticky\"",
        "Whether a registration must prove its client ID with a token: \"required\" always, \"sticky\" once the\n"
          + "client has done so, \"optional\" checks the token when there is one.")

    case .storePath:
      KeyDefinition(.path, default: "\"/var/lib/pushbox\"", "Folder of the registrations and delivery marks.")
    case .storeMapSize:
      KeyDefinition(
        .size(1_048_576...1_125_899_906_842_624), default: "\"64GiB\"",
        "Most that the registrations may grow to. The file is sparse: only what is used takes space.")
    case .storeDeliveriesMapSize:
      KeyDefinition(
        .size(1_048_576...1_125_899_906_842_624), default: "\"16GiB\"",
        "Most that the delivery marks may grow to, likewise. A push takes some 150 bytes for delivered_days.\n"
          + "When it is full, pushes are delivered all the same, but one that the relay repeats may show twice."
      )
    case .storeTombstoneDays:
      KeyDefinition(
        .integer(1...3_650), default: "30", "Days until a registration with a dead token is deleted for good."
      )
    case .storeDeliveredDays:
      KeyDefinition(
        .integer(1...3_650), default: "4",
        "Days for which a delivered push is remembered, so that no retry of the relay delivers it twice.\n"
          + "No shorter than relay.max_timestamp_age_s.")
    case .storeTokenKeyFile:
      KeyDefinition(
        .path, sample: "\"/var/lib/pushbox/token.key\"",
        "File of the key that encrypts device tokens, made on the first start. By default token.key in store.path.\n"
          + "Without it the registrations are lost: keep a copy in a safe place.")

    case .pushDeadline:
      KeyDefinition(
        .duration(.milliseconds, 1_000...29_000), default: "25000",
        "Time for one push, retries included. The relay waits 30 seconds.")
    case .pushOversize:
      KeyDefinition(
        .choice(["trim", "reject"]), default: "\"trim\"",
        "A push over the gateway's 4096 bytes: \"trim\" sends it without the message, so that the user still sees\n"
          + "an alert; \"reject\" answers 413.")
    case .pushMaxInFlight:
      KeyDefinition(
        .integer(ConfigurationKey.anyCount), default: "10000",
        "Pushes under way at once, each worker an equal share of them; beyond it the answer is 503.")
    case .pushPurgeBrakePercent:
      KeyDefinition(
        .integer(1...100), default: "50",
        "When more than this share of recent pushes is refused for a reason that speaks of a wrong topic,\n"
          + "environment or project, no device token is given up any more.")
    case .pushTTL:
      KeyDefinition(
        .duration(.seconds, 0...2_419_200), default: "300",
        "How long the gateway keeps a push for a device that is offline; 0 tries once. A signing request is stale\n"
          + "after minutes: a longer time shows old ones all at once when the device comes back. At most 28 days,\n"
          + "as FCM allows.")

    case .apnsKey:
      KeyDefinition(.text, "Or the key itself: its PEM text, or that in base64.")
    case .apnsKeyFile:
      KeyDefinition(
        .path, sample: "\"AuthKey_ABCDE12345.p8\"", required: true, "The file of the token signing key (.p8)."
      )
    case .apnsCertificateFile:
      KeyDefinition(
        .path, sample: "\"push.p12\"",
        "Instead of a key: the file of the app's push certificate, a .p12 with its key, or PEM.")
    case .apnsCertificate:
      KeyDefinition(.text, "Or the certificate itself: the .p12 in base64, or PEM text.")
    case .apnsCertificatePasswordFile:
      KeyDefinition(.path, sample: "\"push.password\"", "The file with the password of the .p12.")
    case .apnsCertificatePassword:
      KeyDefinition(.text, "Or the password itself.")
    case .apnsPrivateKeyFile:
      KeyDefinition(
        .path, sample: "\"push-key.pem\"",
        "The file of a PEM certificate's private key, when it is not in the same file.")
    case .apnsKeyID:
      KeyDefinition(
        .text, sample: "\"ABCDE12345\"", required: true,
        "Key ID, 10 characters, as the developer account shows it. Not with a certificate.")
    case .apnsTeamID:
      KeyDefinition(
        .text, sample: "\"FGHIJ67890\"", required: true, "Team ID, 10 characters. Not with a certificate.")
    case .apnsTopic:
      KeyDefinition(
        .text, sample: "\"com.example.wallet\"", required: true,
        "The app's bundle ID. With a certificate, by default the one that it names.")
    case .apnsProductionEndpoint:
      KeyDefinition(.text, default: "\"https://api.push.apple.com:443\"", "Gateway for tokens of type apns.")
    case .apnsSandboxEndpoint:
      KeyDefinition(
        .text, default: "\"https://api.sandbox.push.apple.com:443\"",
        "Gateway for tokens of type apns-sandbox.")
    case .apnsCAFile:
      KeyDefinition(.path, sample: "\"ca.pem\"", "Certificate authorities to trust instead of the system's.")
    case .apnsMaxConnections:
      KeyDefinition(.integer(1...64), default: "4", "Connections of each worker to each gateway.")

    case .fcmServiceAccount:
      KeyDefinition(.text, "Or the JSON itself.")
    case .fcmServiceAccountFile:
      KeyDefinition(
        .path, sample: "\"service-account.json\"", required: true, "The file of the service account's JSON.")
    case .fcmEndpoint:
      KeyDefinition(.text, default: "\"https://fcm.googleapis.com:443\"", "Gateway.")
    case .fcmCAFile:
      KeyDefinition(.path, sample: "\"ca.pem\"", "Certificate authorities to trust instead of the system's.")

    case .adminPasswordHash:
      KeyDefinition(
        .text, sample: "\"$scrypt$ln=15,r=8,p=3$...\"", required: true,
        "The password's hash: the output of pushbox hash-password.")
    case .adminPasswordHashFile:
      KeyDefinition(.path, sample: "\"admin.hash\"", "Or the file that holds it.")
    case .adminListen:
      KeyDefinition(
        .list, sample: "\"127.0.0.1:8081\"",
        "Address and port of its own, or an array of them, for the admin page alone, in plain HTTP: for a\n"
          + "reverse proxy or an SSH tunnel. Without this key the page is at the public URL.")
    case .adminSessionTTL:
      KeyDefinition(
        .duration(.seconds, 1...2_592_000), default: "43200", "How long one login lasts.")

    case .metricsAllow:
      KeyDefinition(
        .list, sample: "[\"127.0.0.1\", \"10.0.0.0/8\"]",
        "Addresses that may read /metrics. Without this key and without a token, everyone may; with both, either will do."
      )
    case .metricsToken:
      KeyDefinition(
        .text, sample: "\"0123456789abcdef\"",
        "Or who sends \"Authorization: Bearer TOKEN\" may.")
    case .metricsTokenFile:
      KeyDefinition(.path, sample: "\"metrics.token\"", "Or the file that holds it.")

    case .outboundProxy:
      KeyDefinition(
        .text, sample: "\"http://user:password@proxy.example.com:3128\"",
        "HTTP proxy for all connections to gateways (CONNECT). User and password may be percent-encoded.")
    case .outboundCAFile:
      KeyDefinition(
        .path, sample: "\"proxy-ca.pem\"",
        "Certificate authorities to trust besides the system's, for a proxy that has its own.")

    case .logLevel:
      KeyDefinition(
        .choice(["debug", "info", "warning", "error"]), default: "\"info\"", "Least severity that is logged.")
    case .logFormat:
      KeyDefinition(.choice(["text", "json"]), default: "\"text\"", "One line a record, as text or as JSON.")
    }
  }

  /// Whether the value must not be printed.
  public var isSecret: Bool {
    switch self {
    case .apnsKey, .apnsCertificate, .apnsCertificatePassword, .fcmServiceAccount, .outboundProxy,
      .adminPasswordHash,
      .metricsToken:
      true
    default: false
    }
  }
}
