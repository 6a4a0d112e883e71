import Bytes

/// Environment variables of the Rust push server, so that its `.env` starts pushbox.
enum LegacyEnvironment {
  enum Meaning {
    /// The value of this key, as it stands.
    case key(ConfigurationKey)
    /// `PORT`: listen on it on all addresses.
    case port
    /// `LOG_LEVEL`: directives of Rust's `tracing`.
    case logLevel
    /// `APNS_TYPE`: `token` or `certificate`; what is configured decides.
    case gatewayType
    /// Does not apply any more; says what to do instead.
    case retired(String)
  }

  static let variables: [(name: String, meaning: Meaning)] = [
    ("PORT", .port),
    ("PUBLIC_URL", .key(.serverPublicURL)),
    ("RELAY_PUBLIC_KEY", .key(.relayPublicKey)),
    ("VALIDATE_SIGNATURES", .key(.relayValidateSignatures)),
    ("LOG_LEVEL", .logLevel),
    ("APNS_TYPE", .gatewayType),
    ("APNS_TOPIC", .key(.apnsTopic)),
    ("APNS_PKCS8_PEM", .key(.apnsKey)),
    ("APNS_KEY_ID", .key(.apnsKeyID)),
    ("APNS_TEAM_ID", .key(.apnsTeamID)),
    ("FCM_V1_CREDENTIALS", .key(.fcmServiceAccount)),
    (
      "FCM_API_KEY",
      .retired("Google has shut the legacy FCM API down; use FCM_V1_CREDENTIALS or fcm.service_account_file")
    ),
    ("APNS_CERTIFICATE", .key(.apnsCertificate)),
    ("APNS_CERTIFICATE_PASSWORD", .key(.apnsCertificatePassword)),
    ("DATABASE_URL", .retired("there is no database server; registrations are in the folder store.path")),
    (
      "TENANT_DATABASE_URL",
      .retired("there are no tenants; configure [apns] and [fcm], and clients.project_ids")
    ),
    ("DEFAULT_TENANT_ID", .retired("there are no tenants; use clients.project_ids")),
    ("JWT_SECRET", .retired("there is no tenant API; remove it")),
    ("RELAY_URL", .retired("the relay's key is configured; use relay.public_key")),
    ("CORS_ALLOWED_ORIGINS", .key(.serverCORSOrigins)),
    ("DISABLE_HEADER", .retired("a registration proves its client ID as clients.auth says; remove it")),
    ("S3_ENDPOINT", .retired("there are no analytics; remove it")),
    ("ANALYTICS_EXPORT_BUCKET", .retired("there are no analytics; remove it")),
    ("GEOIP_DB_BUCKET", .retired("there is no look-up of places; remove it")),
    ("GEOIP_DB_KEY", .retired("there is no look-up of places; remove it")),
    ("BLOCKED_COUNTRIES", .retired("countries are not blocked here; do so in the reverse proxy")),
    ("LOG_LEVEL_OTEL", .retired("there is no OpenTelemetry export; use log.level")),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", .retired("there is no OpenTelemetry export; remove it")),
    ("TELEMETRY_PROMETHEUS_PORT", .retired("metrics are served at /metrics of server.listen; remove it")),
  ]

  /// The level that directives such as `info,echo-server=debug` ask for: the one without a target. Nil when there
  /// is none that is known.
  static func logLevel(_ directives: String) -> String? {
    for directive in directives.split(separator: ",") where !directive.contains("=") {
      switch directive.lowercased().filter({ $0 != " " }) {
      case "trace", "debug": return "debug"
      case "info": return "info"
      case "warn", "warning": return "warning"
      case "error", "off": return "error"
      default: continue
      }
    }
    return nil
  }
}
