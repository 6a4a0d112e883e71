import Bytes
import Gateways
import Store
import Telemetry

/// The gateways of one worker, by the kind of device token they serve. Loop thread only.
public struct GatewaySet {
  private var leases: [TokenKind: GatewayLease]

  public init(_ gateways: [TokenKind: any Gateway]) {
    leases = gateways.mapValues { GatewayLease($0) }
  }

  /// Nil when the configuration has no gateway for such tokens.
  subscript(kind: TokenKind) -> GatewayLease? { leases[kind] }

  /// Puts the gateways of `other` in the place of those of `kinds`, which close when their deliveries end.
  mutating func replace(_ kinds: Set<TokenKind>, with other: GatewaySet) {
    for kind in kinds {
      leases[kind]?.retire()
      leases[kind] = other.leases[kind]
    }
  }

  /// How much goes on at each gateway.
  var loads: [TokenKind: GatewayLoad] { leases.mapValues { $0.gateway.load } }

  /// Lets what is under way finish, then closes every connection.
  public func shutdown(_ completion: @escaping () -> Void) {
    var remaining = leases.count
    guard remaining > 0 else { return completion() }
    for lease in leases.values {
      lease.gateway.shutdown {
        remaining -= 1
        if remaining == 0 { completion() }
      }
    }
  }
}

/// What all workers share about the gateways.
public struct GatewayHealthSet: Sendable {
  private let apns: GatewayHealth
  private let apnsSandbox: GatewayHealth
  private let fcm: GatewayHealth
  private let exposed = Exposed()

  /// Which gateways have their metrics.
  private final class Exposed: Sendable {
    let kinds = Locked<Set<TokenKind>>([])
  }

  /// - Parameter brakeShare: see `GatewayHealth`.
  public init(brakeShare: Int = PurgeBrake.defaultShare) {
    apns = GatewayHealth(name: TokenKind.apns.name, brakeShare: brakeShare)
    apnsSandbox = GatewayHealth(name: TokenKind.apnsSandbox.name, brakeShare: brakeShare)
    fcm = GatewayHealth(name: TokenKind.fcm.name, brakeShare: brakeShare)
  }

  /// Shows the state of the gateways for `kinds` as metrics, unless they have them: 1 for the present one, 0 for the
  /// others.
  public func expose(_ kinds: Set<TokenKind>, in registry: MetricsRegistry) {
    let added = exposed.kinds.withLock { exposed in
      defer { exposed.formUnion(kinds) }
      return kinds.subtracting(exposed)
    }
    for kind in added.sorted(by: { $0.name < $1.name }) {
      let health = self[kind]
      for label in GatewayStateLabel.allCases {
        registry.gauge(
          "pushbox_gateway_state", help: "1 for the state that a gateway is in.",
          labels: [("gateway", kind.name), ("state", label.rawValue)],
          read: { health.state.label == label ? 1 : 0 })
      }
    }
  }

  public subscript(kind: TokenKind) -> GatewayHealth {
    switch kind {
    case .apns: apns
    case .apnsSandbox: apnsSandbox
    case .fcm: fcm
    }
  }

  /// Forgets how the gateways of `kinds` did: what is known is about credentials that were replaced.
  public func reset(_ kinds: Set<TokenKind>) {
    for kind in kinds { self[kind].reset() }
  }
}
