/// Every key of the configuration, as `section.key`.
public enum ConfigurationKey: String, CaseIterable, Sendable {
  case serverListen = "server.listen"
  case serverPublicURL = "server.public_url"
  case serverWorkers = "server.workers"
  case serverMaxConnections = "server.max_connections"
  case serverMaxConnectionsPerAddress = "server.max_connections_per_address"
  case serverMaxRequestsPerConnection = "server.max_requests_per_connection"
  case serverTrustedProxies = "server.trusted_proxies"
  case serverCORSOrigins = "server.cors_origins"
  case serverMaxBodyBytes = "server.max_body_bytes"
  case serverHeaderTimeout = "server.header_timeout_ms"
  case serverBodyTimeout = "server.body_timeout_ms"
  case serverWriteTimeout = "server.write_timeout_ms"
  case serverIdleTimeout = "server.idle_timeout_ms"
  case serverShutdownGrace = "server.shutdown_grace_ms"
  case serverWatchConfig = "server.watch_config"

  case tlsCertificateFile = "tls.certificate_file"
  case tlsKeyFile = "tls.key_file"

  case limitsRegistrations = "limits.registrations_per_minute"
  case limitsDeletions = "limits.deletions_per_minute"
  case limitsFailedSignatures = "limits.failed_signatures_per_minute"
  case limitsLogins = "limits.logins_per_minute"
  case limitsExempt = "limits.exempt"

  case relayPublicKey = "relay.public_key"
  case relayPublicKeyFile = "relay.public_key_file"
  case relayPublicKeyURL = "relay.public_key_url"
  case relayValidateSignatures = "relay.validate_signatures"
  case relayMaxTimestampAge = "relay.max_timestamp_age_s"

  case clientsProjectIDs = "clients.project_ids"
  case clientsAuth = "clients.auth"

  case storePath = "store.path"
  case storeMapSize = "store.map_size"
  case storeDeliveriesMapSize = "store.deliveries_map_size"
  case storeTombstoneDays = "store.tombstone_days"
  case storeDeliveredDays = "store.delivered_days"
  case storeTokenKeyFile = "store.token_key_file"

  case pushDeadline = "push.deadline_ms"
  case pushOversize = "push.oversize"
  case pushMaxInFlight = "push.max_in_flight"
  case pushPurgeBrakePercent = "push.purge_brake_percent"
  case pushTTL = "push.ttl_s"

  case apnsKeyFile = "apns.key_file"
  case apnsKey = "apns.key"
  case apnsCertificateFile = "apns.certificate_file"
  case apnsCertificate = "apns.certificate"
  case apnsCertificatePasswordFile = "apns.certificate_password_file"
  case apnsCertificatePassword = "apns.certificate_password"
  case apnsPrivateKeyFile = "apns.private_key_file"
  case apnsKeyID = "apns.key_id"
  case apnsTeamID = "apns.team_id"
  case apnsTopic = "apns.topic"
  case apnsProductionEndpoint = "apns.production_endpoint"
  case apnsSandboxEndpoint = "apns.sandbox_endpoint"
  case apnsCAFile = "apns.ca_file"
  case apnsMaxConnections = "apns.max_connections"

  case fcmServiceAccountFile = "fcm.service_account_file"
  case fcmServiceAccount = "fcm.service_account"
  case fcmEndpoint = "fcm.endpoint"
  case fcmCAFile = "fcm.ca_file"

  case adminPasswordHash = "admin.password_hash"
  case adminPasswordHashFile = "admin.password_hash_file"
  case adminListen = "admin.listen"
  case adminSessionTTL = "admin.session_ttl_s"

  case metricsAllow = "metrics.allow"
  case metricsToken = "metrics.token"
  case metricsTokenFile = "metrics.token_file"

  case outboundProxy = "outbound.proxy"
  case outboundCAFile = "outbound.ca_file"

  case logLevel = "log.level"
  case logFormat = "log.format"

  /// The table that holds the key.
  public var section: String { String(rawValue.prefix { $0 != "." }) }

  /// The key within its table.
  public var name: String { String(rawValue.dropFirst(section.count + 1)) }

  /// The environment variable that overrides the file: `PUSHBOX_SERVER_LISTEN`.
  public var environmentName: String {
    "PUSHBOX_" + rawValue.uppercased().replacing(".", with: "_")
  }
}
