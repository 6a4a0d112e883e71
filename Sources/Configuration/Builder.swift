/// Turns values of the right type into a configuration, and collects all that is wrong on the way.
///
/// Where a value is missing or wrong, the readers report it and return a stand-in; none escapes, since `build`
/// throws when anything was reported.
struct ConfigurationBuilder {
  var values: ConfigurationValues

  init(_ values: ConfigurationValues) { self.values = values }

  consuming func build() throws(ConfigurationError) -> (Configuration, warnings: [ConfigurationWarning]) {
    let server = buildServer()
    let tls = buildTLS()
    let limits = buildLimits()
    let relay = buildRelay()
    let clients = buildClients()
    let store = buildStore(relay)
    let push = buildPush()
    let apns = buildAPNs()
    let fcm = buildFCM()
    if !values.mentioned.contains("apns"), !values.mentioned.contains("fcm") {
      values.report("no gateway configured: add [apns] or [fcm]")
    }
    let admin = buildAdmin()
    let metrics = buildMetrics()
    let outbound = buildOutbound()
    let log = Configuration.Log(
      level: choice(.logLevel, .info), format: choice(.logFormat, .text))
    guard values.problems.isEmpty, let server else {
      throw ConfigurationError(problems: ConfigurationBuilder.sorted(values.problems))
    }
    let configuration = Configuration(
      server: server, tls: tls, limits: limits, relay: relay, clients: clients, store: store, push: push,
      apns: apns, fcm: fcm, admin: admin, metrics: metrics, outbound: outbound, log: log,
      origins: values.entries.mapValues(\.origin), entries: ConfigurationEntry.list(values))
    return (configuration, values.warnings)
  }

  /// By place: the file from top to bottom, the environment, then what is missing.
  private static func sorted(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
    func rank(_ problem: ConfigurationProblem) -> (Int, Int, Int) {
      switch problem.origin {
      case .file(_, let line, let column): (0, line, column)
      case .environment: (1, 0, 0)
      case .default, nil: (2, 0, 0)
      }
    }
    // `sorted` keeps the order of equals.
    return problems.sorted { rank($0) < rank($1) }
  }

  // MARK: - Sections

  private mutating func buildServer() -> Configuration.Server? {
    let url = requiredURL(.serverPublicURL)
    if let url, !url.isSecure, !["localhost", "127.0.0.1", "::1"].contains(url.host) {
      warn("is no https URL; the relay and wallets need https", .serverPublicURL)
    }
    let listen = buildListen(.serverListen)
    if listen.isEmpty, !values.failed.contains(.serverListen), list(.serverListen) == [] {
      report("found no address, expected at least one", .serverListen)
    }
    guard let url else { return nil }
    return Configuration.Server(
      listen: listen, publicURL: url, workers: integer(.serverWorkers),
      maxConnections: integer(.serverMaxConnections),
      maxConnectionsPerAddress: limit(.serverMaxConnectionsPerAddress),
      maxRequestsPerConnection: limit(.serverMaxRequestsPerConnection),
      trustedProxies: addressBlocks(.serverTrustedProxies), corsOrigins: buildCORSOrigins(),
      maxBodyBytes: integer(.serverMaxBodyBytes), headerTimeout: duration(.serverHeaderTimeout),
      bodyTimeout: duration(.serverBodyTimeout), writeTimeout: duration(.serverWriteTimeout),
      idleTimeout: duration(.serverIdleTimeout),
      shutdownGrace: duration(.serverShutdownGrace), watchConfig: boolean(.serverWatchConfig))
  }

  mutating func buildListen(_ key: ConfigurationKey) -> [ListenAddress] {
    var addresses: [ListenAddress] = []
    for text in list(key) ?? [] {
      if let address = ListenAddress(text) {
        if addresses.contains(address), address.port != 0 { report("names \(address) twice", key) }
        addresses.append(address)
      } else {
        report(
          "found \(KeyType.quoted(text)), expected an IP address and a port such as \"0.0.0.0:8080\" or \"[::]:8080\"",
          key)
      }
    }
    return addresses
  }

  private mutating func buildClients() -> Configuration.Clients {
    let projectIDs = list(.clientsProjectIDs)
    for id in projectIDs ?? [] where !isName(id, 1...64, "-_") {
      report("found \(KeyType.quoted(id)), expected 1 to 64 letters, digits, '-' and '_'", .clientsProjectIDs)
    }
    if projectIDs == [] {
      report("names no project; remove the key to accept any", .clientsProjectIDs)
    }
    return Configuration.Clients(
      projectIDs: projectIDs.map { Set($0) }, auth: choice(.clientsAuth, .optional))
  }

  private mutating func buildStore(_ relay: Configuration.Relay) -> Configuration.Store {
    let deliveredDays = integer(.storeDeliveredDays)
    if let age = relay.maxTimestampAge, age > .seconds(deliveredDays * 86_400) {
      let days = (age.components.seconds + 86_399) / 86_400
      report(
        "is \(deliveredDays), expected at least \(days): a push is accepted for as long as "
          + "relay.max_timestamp_age_s and must not be delivered twice", .storeDeliveredDays)
    }
    let path = text(.storePath) ?? ""
    return Configuration.Store(
      path: path, mapSize: integer(.storeMapSize), deliveriesMapSize: integer(.storeDeliveriesMapSize),
      tombstoneDays: integer(.storeTombstoneDays), deliveredDays: deliveredDays,
      tokenKeyFile: text(.storeTokenKeyFile) ?? (path.hasSuffix("/") ? path : path + "/") + "token.key")
  }

  private mutating func buildPush() -> Configuration.Push {
    Configuration.Push(
      deadline: duration(.pushDeadline), oversize: choice(.pushOversize, .trim),
      maxInFlight: integer(.pushMaxInFlight), purgeBrakePercent: integer(.pushPurgeBrakePercent),
      ttl: duration(.pushTTL))
  }

}
