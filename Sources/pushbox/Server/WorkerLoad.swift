import Gateways
import Service
import Store
import Telemetry

/// One worker's part of the gauges that all workers share. Loop thread only.
struct WorkerLoad {
  private let connections: Gauge
  private let gatewayConnections: [TokenKind: Gauge]
  private let streams: [TokenKind: Gauge]
  private let queued: [TokenKind: Gauge]
  private let pushes: PushService
  /// What this worker last added.
  private var lastConnections = 0
  private var lastLoads: [TokenKind: GatewayLoad] = [:]

  init(_ registry: MetricsRegistry, pushes: PushService) {
    self.pushes = pushes
    connections = registry.gauge("pushbox_http_connections", help: "Connections that are open.")
    func gauges(_ name: String, _ help: String) -> [TokenKind: Gauge] {
      var gauges: [TokenKind: Gauge] = [:]
      for kind in TokenKind.allCases {
        gauges[kind] = registry.gauge(name, help: help, labels: [("gateway", kind.name)])
      }
      return gauges
    }
    gatewayConnections = gauges("pushbox_gateway_connections", "Connections to gateways that are open.")
    streams = gauges("pushbox_gateway_streams", "Requests that wait for a gateway's answer.")
    queued = gauges("pushbox_gateway_queued", "Requests that wait for a stream to a gateway.")
  }

  mutating func publish(connections count: Int) {
    connections.add(Int64(count - lastConnections))
    lastConnections = count
    let loads = pushes.gatewayLoads
    for kind in TokenKind.allCases {
      let load = loads[kind] ?? GatewayLoad()
      let last = lastLoads[kind] ?? GatewayLoad()
      gatewayConnections[kind]?.add(Int64(load.connections - last.connections))
      streams[kind]?.add(Int64(load.streams - last.streams))
      queued[kind]?.add(Int64(load.queued - last.queued))
    }
    lastLoads = loads
  }
}
