import API
import Configuration
import EventLoop
import HTTP
import Relay
import Service
import Store
import Telemetry

/// What every worker is made from.
struct WorkerBlueprint: Sendable {
  let shared: SharedService
  let gateways: GatewayFactory
  let verifier: RelayVerifier?
  let authentication: ClientAuthentication
  let authenticationPolicy: ClientAuthenticationPolicy
  let push: PushSettings
  let api: APISettings
  let http: HTTPServerOptions
  let registry: MetricsRegistry
}

/// One worker: everything that belongs to one loop. Made, used and stopped on that loop.
final class Worker {
  private let pushes: PushService
  private let handler: APIHandler
  private let servers: [HTTPServer]
  /// Where its servers listen.
  let addresses: [SocketAddress]

  /// Builds the worker and listens at `addresses`.
  init(_ blueprint: WorkerBlueprint, loop: EventLoop, addresses: [SocketAddress], reusePort: Bool)
    throws(ServerError)
  {
    let reader: StoreReader
    do throws(StoreError) {
      reader = try blueprint.shared.store.makeReader()
    } catch {
      throw ServerError("store: \(error)")
    }
    pushes = PushService(
      loop: loop, shared: blueprint.shared, reader: reader,
      gateways: blueprint.gateways.makeGateways(on: loop), verifier: blueprint.verifier,
      settings: blueprint.push)
    let registrations = RegistrationService(
      loop: loop, shared: blueprint.shared, reader: reader, authentication: blueprint.authentication,
      policy: blueprint.authenticationPolicy, kinds: blueprint.gateways.kinds)
    handler = APIHandler(
      settings: blueprint.api, pushes: pushes, registrations: registrations, reader: reader,
      health: blueprint.shared.health, registry: blueprint.registry, log: blueprint.shared.log)
    var servers: [HTTPServer] = []
    var bound: [SocketAddress] = []
    for address in addresses {
      let server = HTTPServer(loop: loop, options: blueprint.http, handler: handler)
      do throws(SystemError) {
        try server.start(at: address, reusePort: reusePort)
      } catch {
        throw ServerError("server.listen: \(error)")
      }
      servers.append(server)
      if let address = server.localAddress { bound.append(address) }
    }
    self.servers = servers
    self.addresses = bound
  }

  /// Stops accepting, finishes what is under way within `grace`, closes the gateways' connections.
  func stop(grace: Duration, _ completion: @escaping () -> Void) {
    var remaining = servers.count
    let pushes = self.pushes
    for server in servers {
      server.stop(grace: grace) {
        remaining -= 1
        if remaining == 0 { pushes.shutdown(completion) }
      }
    }
  }
}
