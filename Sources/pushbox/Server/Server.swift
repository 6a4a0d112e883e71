import API
import Bytes
import Configuration
import Crypto
import EventLoop
import Glibc
import HTTP
import Relay
import Service
import Store
import Telemetry

/// The whole appliance: store, workers, and their orderly end.
final class Server: Sendable {
  /// Where it listens, with the ports that the kernel chose.
  let addresses: [SocketAddress]
  private let workers: [(thread: LoopThread, worker: LoopBound<Worker>)]
  private let store: Store
  private let housekeeping: LoopThread
  private let grace: Duration

  /// Opens the store and starts every worker; when it returns, connections are accepted.
  init(_ configuration: Configuration, _ credentials: Credentials, log: Log) throws(ServerError) {
    let verifier = try Self.verifier(configuration, credentials)
    let cipher = try Self.cipher(configuration.store)
    let store = try Self.openStore(configuration.store, cipher, log)
    self.store = store
    let gateways = try GatewayFactory(
      configuration, credentials, vault: ProviderTokenVault(store: store, cipher: cipher, log: log))
    let registry = MetricsRegistry()
    let shared = SharedService(
      store: store, metrics: ServiceMetrics(registry: registry), log: log,
      health: GatewayHealthSet(brakeShare: configuration.push.purgeBrakePercent))
    shared.health.expose(gateways.kinds, in: registry)
    let count = configuration.server.workers > 0 ? configuration.server.workers : Self.coreCount
    let blueprint = WorkerBlueprint(
      shared: shared, gateways: gateways, verifier: verifier,
      authentication: ClientAuthentication(
        audiences: [configuration.server.publicURL.text, configuration.server.publicURL.origin]),
      authenticationPolicy: Self.policy(configuration.clients.auth),
      push: PushSettings(
        deadline: configuration.push.deadline,
        maximumInFlight: max(1, configuration.push.maxInFlight / count),
        timeToLive: UInt64(max(0, configuration.push.ttl.wholeMilliseconds / 1000))),
      api: APISettings(
        basePath: configuration.server.publicURL.path, projectIDs: configuration.clients.projectIDs,
        version: Version.text, kinds: gateways.kinds, pushURL: configuration.server.publicURL.text),
      http: Self.httpOptions(configuration.server, workers: count), registry: registry)
    var addresses: [SocketAddress] = []
    for listen in configuration.server.listen {
      guard let address = SocketAddress(ip: listen.ip, port: listen.port) else {
        throw ServerError("server.listen: \(listen) is no address")
      }
      addresses.append(address)
    }
    let workers = try Self.startWorkers(blueprint, count: count, addresses: addresses)
    self.workers = workers.running
    self.addresses = workers.addresses
    grace = configuration.server.shutdownGrace
    housekeeping = try Housekeeping.start(
      store: store, tombstoneDays: configuration.store.tombstoneDays, log: log)
  }

  /// Finishes what is under way, within the grace, and closes the store. Blocks.
  func stop() {
    let grace = self.grace
    let stopped = workers.map { worker in
      let done = Rendezvous<Bool>()
      worker.worker.run { $0.stop(grace: grace) { done.give(true) } }
      return done
    }
    for done in stopped { _ = done.wait() }
    for worker in workers { worker.thread.stopAndJoin() }
    housekeeping.stopAndJoin()
    store.close()
  }

  private static func startWorkers(
    _ blueprint: WorkerBlueprint, count: Int, addresses: [SocketAddress]
  ) throws(ServerError) -> (
    running: [(thread: LoopThread, worker: LoopBound<Worker>)], addresses: [SocketAddress]
  ) {
    var running: [(thread: LoopThread, worker: LoopBound<Worker>)] = []
    // The first worker may be given free ports; the others listen at the same.
    var addresses = addresses
    for index in 0..<count {
      let thread: LoopThread
      do throws(SystemError) {
        thread = try LoopThread(name: "worker-\(index)")
      } catch {
        throw ServerError("cannot start worker \(index): \(error)")
      }
      let wanted = addresses
      let loop = thread.loop
      let result: Result<(LoopBound<Worker>, [SocketAddress]), ServerError> = loop.runAndWait {
        do throws(ServerError) {
          let worker = try Worker(blueprint, loop: loop, addresses: wanted, reusePort: count > 1)
          return .success((LoopBound(worker, loop: loop), worker.addresses))
        } catch {
          return .failure(error)
        }
      }
      let (worker, bound) = try result.get()
      addresses = bound
      running.append((thread, worker))
    }
    return (running, addresses)
  }

  private static func verifier(_ configuration: Configuration, _ credentials: Credentials)
    throws(ServerError) -> RelayVerifier?
  {
    guard configuration.relay.validateSignatures else { return nil }
    guard let bytes = credentials.relayPublicKey else {
      throw ServerError("relay.public_key is missing")
    }
    do throws(CryptoError) {
      let age = (configuration.relay.maxTimestampAge ?? .zero).wholeMilliseconds / 1000
      return RelayVerifier(keys: [try Ed25519PublicKey(rawBytes: bytes)], maximumAge: age)
    } catch {
      throw ServerError("relay.public_key: \(error)")
    }
  }

  private static func cipher(_ settings: Configuration.Store) throws(ServerError) -> StoreCipher {
    let key = try TokenKeyFile.loadOrCreate(settings.tokenKeyFile)
    do throws(CryptoError) {
      return try StoreCipher(masterKey: key)
    } catch {
      throw ServerError("store.token_key_file: \(error)")
    }
  }

  private static func openStore(
    _ settings: Configuration.Store, _ cipher: StoreCipher, _ log: Log
  ) throws(ServerError) -> Store {
    var options = StoreOptions()
    options.mapSize = UInt64(clamping: settings.mapSize)
    options.deliveredRetention = UInt64(clamping: settings.deliveredDays) * 86_400
    options.onWarning = { log.warning("store: \($0)") }
    do throws(StoreError) {
      return try Store.open(path: settings.path, options: options, cipher: cipher)
    } catch {
      throw ServerError("store.path: \(error)")
    }
  }

  private static func policy(_ auth: Configuration.Clients.Auth) -> ClientAuthenticationPolicy {
    switch auth {
    case .optional: .optional
    case .sticky: .sticky
    case .required: .required
    }
  }

  private static func httpOptions(_ server: Configuration.Server, workers: Int) -> HTTPServerOptions {
    var options = HTTPServerOptions()
    options.limits.body = server.maxBodyBytes
    options.headTimeout = server.headerTimeout
    options.idleTimeout = server.idleTimeout
    options.maximumConnections = max(1, server.maxConnections / workers)
    options.errorResponse = { APIHandler.errorResponse(status: $0, reason: $1) }
    return options
  }

  /// Cores this machine has.
  static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
