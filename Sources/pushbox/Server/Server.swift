import API
import Bytes
import Configuration
import Crypto
import EventLoop
import Glibc
import HTTP
import Service
import Store
import Telemetry

/// The whole appliance: store, workers, and their orderly end.
final class Server: Sendable {
  private struct Listening: Sendable {
    /// As configured; its port may be 0.
    let wanted: ListeningPlace
    /// With the port that the kernel chose.
    let bound: SocketAddress
  }

  /// What a reload replaces.
  private struct Running: Sendable {
    var configuration: Configuration
    var settings: LiveSettings
    var listening: [Listening]
  }

  private let running: Locked<Running>
  private let workers: [WorkerThread]
  private let vault: ProviderTokenVault
  private let shared: SharedService
  /// What the admin API shows and does.
  let admin: AdminShared
  private let housekeeping: LoopThread
  private let certificate: CertificateHolder
  private let connections = ConnectionLimiter()

  /// Opens the store and starts every worker; when it returns, connections are accepted.
  ///
  /// - Parameters:
  ///   - inherited: sockets to listen at instead of opening new ones.
  ///   - onMigration: told how far bringing the store of an older pushbox up to date is.
  ///   - breakdown: told when the store can't be used any more, so that the process may end.
  init(
    _ configuration: Configuration, _ credentials: Credentials, inherited: InheritedSockets = .none, log: Log,
    onMigration: @escaping @Sendable (StoreProgress) -> Void = { _ in },
    breakdown: Breakdown = Breakdown()
  ) throws(ServerError) {
    let count = configuration.server.workers > 0 ? configuration.server.workers : Self.coreCount
    let (store, cipher) = try StoreOpening.openForServing(
      configuration.store, onWarning: { log.warning("store: \($0)") }, onMigration: onMigration,
      onUnusable: { breakdown.report("\($0)") })
    log.pseudonyms = Pseudonyms(key: cipher.pseudonymKey)
    let vault = ProviderTokenVault(store: store, cipher: cipher, log: log)
    self.vault = vault
    let relayKeys = try RelayKeyPin.keys(configuration, credentials, store: store, log: log)
    let settings = try LiveSettings(
      configuration, credentials, relayKeys: relayKeys, vault: vault, workers: count)
    let registry = MetricsRegistry()
    shared = SharedService(
      store: store, metrics: ServiceMetrics(registry: registry), log: log,
      health: GatewayHealthSet(brakeShare: configuration.push.purgeBrakePercent),
      limits: RequestLimits(settings.limits))
    shared.health.expose(settings.gateways.kinds, in: registry)
    do throws(AdminStartError) {
      admin = try AdminShared(service: shared, registry: registry)
    } catch {
      throw ServerError("the admin API cannot start: \(error)")
    }
    admin.exposeMetrics(version: Version.text)
    admin.use(settings.admin)
    certificate = CertificateHolder(settings.certificate)
    Self.configure(connections, configuration)
    let blueprint = WorkerBlueprint(
      shared: shared, admin: admin, reusePort: count > 1, certificate: certificate,
      connections: connections)
    var workers: [WorkerThread] = []
    for index in 0..<count {
      workers.append(try WorkerThread(index: index, blueprint, settings))
    }
    self.workers = workers
    let listening = try Self.listen(at: configuration.places, workers, inherited)
    inherited.close()
    for worker in workers { worker.call { $0.listen(instead: [], grace: .zero) } }
    let running = Locked(
      Running(configuration: configuration, settings: settings, listening: listening))
    self.running = running
    housekeeping = try Housekeeping.start(store: store, vault: vault, log: log) {
      running.withLock { $0.configuration.store.tombstoneDays }
    }
    admin.start()
  }

  /// Where it listens, with the ports that the kernel chose.
  var addresses: [(address: SocketAddress, role: String)] {
    running.withLock { $0.listening.map { ($0.bound, $0.wanted.role) } }
  }

  /// What it listens at, to be handed on; valid until the next reload or stop.
  var listeningSockets: [ListeningSocket] { workers.flatMap { $0.call { $0.listeningSockets } } }

  /// The loops that do its work.
  var loops: [EventLoop] { workers.map(\.loop) + [housekeeping.loop] }

  /// The configuration in effect.
  var configuration: Configuration { running.withLock { $0.configuration } }

  var workerCount: Int { workers.count }

  /// When the push certificate ends, in seconds since the epoch; nil when APNs knows us by a token.
  var pushCertificateExpiry: Int64? {
    running.withLock { $0.settings.gateways.apple?.certificateExpiry.map { Int64($0) } }
  }

  /// What the certificate of `[tls]` says of itself; nil without one.
  var certificateFacts: CertificateFacts? { running.withLock { $0.settings.certificate?.facts } }

  /// The address of the service account, as Google names it.
  var serviceAccountName: String? { running.withLock { $0.settings.gateways.google?.accountName } }

  /// Puts a configuration into effect while serving: all of it, or nothing when it throws. One thread at a
  /// time, and none of the workers'.
  func reload(_ configuration: Configuration, _ credentials: Credentials) throws(ServerError) {
    let old = running.withLock { $0 }
    try Self.refuseWhatNeedsARestart(old.configuration, configuration)
    let relayKeys = try RelayKeyPin.keys(
      configuration, credentials, store: shared.store, log: shared.log)
    let settings = try LiveSettings(
      configuration, credentials, relayKeys: relayKeys, vault: vault, workers: workers.count,
      replacing: old.settings)
    // Only this can still fail, so it comes before anything changes.
    let places = configuration.places
    let kept = old.listening.filter { places.contains($0.wanted) }
    let added = places.filter { wanted in !kept.contains { $0.wanted == wanted } }
    let listening = kept + (try Self.listen(at: added, workers))

    let kinds = settings.gateways.changedKinds(since: old.settings.gateways)
    let obsolete = old.listening.map(\.bound).filter { bound in !kept.contains { $0.bound == bound } }
    let grace = configuration.server.shutdownGrace
    certificate.set(settings.certificate)
    Self.configure(connections, configuration)
    for worker in workers {
      worker.call {
        $0.apply(settings, replacing: kinds)
        $0.listen(instead: obsolete, grace: grace)
      }
    }
    shared.limits.apply(settings.limits)
    admin.use(settings.admin)
    shared.health.reset(kinds)
    shared.health.expose(settings.gateways.kinds, in: admin.registry)
    for address in listening.dropFirst(kept.count) {
      shared.log.info(
        "listening", ["address": "\(address.bound)", "for": .string(address.wanted.role)])
    }
    for address in obsolete { shared.log.info("listening no longer", ["address": "\(address)"]) }
    running.withLock {
      $0 = Running(configuration: configuration, settings: settings, listening: listening)
    }
  }

  /// Loads the certificate anew and shows it from now on. When it is the same, nil; when it cannot be used
  /// it throws, and the one in use stays. One thread at a time, like `reload`.
  func reloadCertificate() throws(ServerError) -> ServerCertificate? {
    let (configuration, current) = running.withLock { ($0.configuration, $0.settings.certificate) }
    guard let tls = configuration.tls else { return nil }
    let new = try ServerCertificate(tls, host: configuration.server.publicURL.host, replacing: current)
    if let current, current.isSame(as: new) { return nil }
    certificate.set(new)
    running.withLock { $0.settings.certificate = new }
    return new
  }

  private static func configure(_ connections: ConnectionLimiter, _ configuration: Configuration) {
    connections.configure(
      limit: configuration.server.maxConnectionsPerAddress, exempt: configuration.limits.exempt,
      proxies: TrustedProxies(configuration.server.trustedProxies))
  }

  /// Finishes what is under way, within the grace, and closes the store. Blocks.
  func stop() {
    let grace = configuration.server.shutdownGrace
    let stopped = workers.map { $0.stop(grace: grace) }
    for done in stopped { _ = done.wait() }
    for worker in workers { worker.stopAndJoin() }
    housekeeping.stopAndJoin()
    admin.stop()
    shared.store.close()
  }

  private static func refuseWhatNeedsARestart(
    _ old: Configuration, _ new: Configuration
  ) throws(ServerError) {
    var keys: [ConfigurationKey] = []
    if old.server.workers != new.server.workers { keys.append(.serverWorkers) }
    if old.push.purgeBrakePercent != new.push.purgeBrakePercent { keys.append(.pushPurgeBrakePercent) }
    if old.store.path != new.store.path { keys.append(.storePath) }
    if old.store.mapSize != new.store.mapSize { keys.append(.storeMapSize) }
    if old.store.deliveriesMapSize != new.store.deliveriesMapSize { keys.append(.storeDeliveriesMapSize) }
    if old.store.deliveredDays != new.store.deliveredDays { keys.append(.storeDeliveredDays) }
    if old.store.tokenKeyFile != new.store.tokenKeyFile { keys.append(.storeTokenKeyFile) }
    guard !keys.isEmpty else { return }
    let names = keys.map { key in
      new.origins[key].map { "\(key.rawValue) (\($0))" } ?? key.rawValue
    }
    throw ServerError(
      "\(names.joined(separator: ", ")): cannot change while serving; restart pushbox, or put the old value back"
    )
  }

  /// Listens at `wanted` in every worker; in none of them when it throws.
  private static func listen(
    at wanted: [ListeningPlace], _ workers: [WorkerThread], _ inherited: InheritedSockets = .none
  ) throws(ServerError) -> [Listening] {
    // The first worker may be given free ports; the others listen at the same.
    var addresses: [SocketAddress] = []
    for listen in wanted {
      guard let address = SocketAddress(ip: listen.address.ip, port: listen.address.port) else {
        throw ServerError("\(listen.key): \(listen.address) is no address")
      }
      addresses.append(address)
    }
    try inherited.check(addresses)
    do throws(ServerError) {
      for (index, worker) in workers.enumerated() {
        let places = zip(addresses, wanted).map { address, place in
          WorkerListener(
            address: address, place: place,
            sockets: inherited.share(address, worker: index, of: workers.count))
        }
        let result: Result<[SocketAddress], ServerError> = worker.call { worker in
          do throws(ServerError) {
            return .success(try worker.prepare(places))
          } catch {
            return .failure(error)
          }
        }
        addresses = try result.get()
      }
    } catch {
      for worker in workers { worker.call { $0.discardPrepared(grace: .zero) } }
      throw error
    }
    return zip(wanted, addresses).map { Listening(wanted: $0, bound: $1) }
  }

  /// Cores this machine has.
  static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
