import API
import EventLoop
import HTTP
import Service
import Store
import Telemetry

/// What every worker is made from and keeps for good.
struct WorkerBlueprint: Sendable {
  let shared: SharedService
  let admin: AdminShared
  /// Whether the workers share their addresses.
  let reusePort: Bool
  let certificate: CertificateHolder
  let connections: ConnectionLimiter
}

/// One worker: everything that belongs to one loop. Made, used and stopped on that loop.
final class Worker {
  private let loop: EventLoop
  private let reusePort: Bool
  private let certificate: CertificateHolder
  private let connections: ConnectionLimiter
  private var usesTLS: Bool
  private let pushes: PushService
  private let registrations: RegistrationService
  private let handler: APIHandler
  private var http: HTTPServerOptions
  /// By the address that it listens at.
  private var servers: [SocketAddress: HTTPServer] = [:]
  /// Opened for a configuration that is not in effect yet.
  private var prepared: [SocketAddress: HTTPServer] = [:]
  /// Servers without TLS: the admin page's own.
  private var plain: Set<ObjectIdentifier> = []
  /// Servers that finish what they began.
  private var draining: [HTTPServer] = []
  private var load: WorkerLoad
  private var loadTimer: Timer?
  private var onDrained: (() -> Void)?

  init(_ blueprint: WorkerBlueprint, _ settings: LiveSettings, loop: EventLoop) throws(ServerError) {
    let reader: StoreReader
    do throws(StoreError) {
      reader = try blueprint.shared.store.makeReader()
    } catch {
      throw ServerError("store: \(error)")
    }
    self.loop = loop
    reusePort = blueprint.reusePort
    certificate = blueprint.certificate
    connections = blueprint.connections
    usesTLS = settings.certificate != nil
    http = settings.http
    pushes = PushService(
      loop: loop, shared: blueprint.shared, reader: reader,
      gateways: settings.gateways.makeGateways(on: loop), verifier: settings.verifier,
      settings: settings.push)
    registrations = RegistrationService(
      loop: loop, shared: blueprint.shared, reader: reader, settings: settings.registration)
    handler = APIHandler(
      settings: settings.api, admin: settings.admin, loop: loop, shared: blueprint.admin, pushes: pushes,
      registrations: registrations, reader: reader)
    load = WorkerLoad(blueprint.admin.registry, pushes: pushes)
    publishLoad()
  }

  /// Tells the metrics once a second how much goes on here.
  private func publishLoad() {
    let open = (Array(servers.values) + draining).reduce(0) { $0 + $1.counters.connectionsOpen }
    load.publish(connections: open)
    loadTimer = loop.schedule(after: .seconds(1)) { [weak self] in self?.publishLoad() }
  }

  /// Listens at `places` besides those it has, and accepts. Gives the addresses with the ports that the
  /// kernel chose. To be followed by `apply` or `discardPrepared`.
  func prepare(_ places: [WorkerListener]) throws(ServerError) -> [SocketAddress] {
    var bound: [SocketAddress] = []
    for listener in places {
      let place = listener.place
      let server = HTTPServer(
        loop: loop, options: http, handler: place.isAdmin ? handler.adminEntrance : handler,
        limiter: connections, makeLayer: place.isAdmin ? nil : makeLayer)
      do throws(SystemError) {
        if listener.sockets.isEmpty {
          try server.start(at: listener.address, reusePort: reusePort)
        } else {
          try server.start(sharing: listener.sockets)
        }
      } catch {
        throw ServerError("\(place.key): \(error)")
      }
      let local = server.localAddress ?? listener.address
      prepared[local] = server
      if place.isAdmin { plain.insert(ObjectIdentifier(server)) }
      bound.append(local)
    }
    return bound
  }

  /// What it listens at, valid until that changes.
  var listeningSockets: [ListeningSocket] { servers.values.flatMap(\.listeningSockets) }

  /// Closes what `prepare` opened.
  func discardPrepared(grace: Duration) {
    for server in prepared.values { drain(server, grace: grace) }
    prepared = [:]
  }

  /// Takes the servers that were prepared, and stops those at `obsolete` addresses within `grace`.
  func listen(instead obsolete: [SocketAddress], grace: Duration) {
    // First, since a new server may have the address of an obsolete one.
    for address in obsolete {
      if let server = servers.removeValue(forKey: address) { drain(server, grace: grace) }
    }
    servers.merge(prepared) { _, new in new }
    prepared = [:]
  }

  /// Replaces the configuration for everything that begins from now on.
  ///
  /// - Parameter kinds: whose gateways changed.
  func apply(_ settings: LiveSettings, replacing kinds: Set<TokenKind>) {
    pushes.apply(
      settings.push, verifier: settings.verifier, replacing: kinds,
      with: settings.gateways.makeGateways(on: loop, of: kinds))
    registrations.settings = settings.registration
    handler.apply(settings.api, admin: settings.admin)
    http = settings.http
    usesTLS = settings.certificate != nil
    for server in Array(servers.values) + Array(prepared.values) {
      server.options = http
      if !plain.contains(ObjectIdentifier(server)) { server.makeLayer = makeLayer }
    }
  }

  private var makeLayer: SocketTransport.LayerFactory? {
    usesTLS ? { [certificate] in certificate.makeLayer($0) } : nil
  }

  /// Stops accepting, finishes what is under way within `grace`, closes the gateways' connections.
  func stop(grace: Duration, _ completion: @escaping () -> Void) {
    for server in servers.values { drain(server, grace: grace) }
    servers = [:]
    discardPrepared(grace: grace)
    let pushes = self.pushes
    guard !draining.isEmpty else { return pushes.shutdown(completion) }
    onDrained = { pushes.shutdown(completion) }
  }

  private func drain(_ server: HTTPServer, grace: Duration) {
    draining.append(server)
    server.stop(grace: grace) { [self] in
      draining.removeAll { $0 === server }
      plain.remove(ObjectIdentifier(server))
      guard draining.isEmpty, let onDrained else { return }
      self.onDrained = nil
      onDrained()
    }
  }
}
