import Gateways
import Store

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
  private let apns = GatewayHealth(name: TokenKind.apns.name)
  private let apnsSandbox = GatewayHealth(name: TokenKind.apnsSandbox.name)
  private let fcm = GatewayHealth(name: TokenKind.fcm.name)

  public init() {}

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
