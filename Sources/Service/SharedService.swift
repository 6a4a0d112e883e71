import Store
import Telemetry

/// What the workers of a process share.
public final class SharedService: Sendable {
  public let store: Store
  public let inFlight: InFlightTable
  public let health: GatewayHealthSet
  public let metrics: ServiceMetrics
  public let log: Log
  public let limits: RequestLimits

  public init(
    store: Store, metrics: ServiceMetrics, log: Log, health: GatewayHealthSet = GatewayHealthSet(),
    limits: RequestLimits = RequestLimits()
  ) {
    self.limits = limits
    self.store = store
    inFlight = InFlightTable()
    self.health = health
    self.metrics = metrics
    self.log = log
  }
}
