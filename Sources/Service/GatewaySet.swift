import Gateways
import Store

/// The gateways of one worker, by the kind of device token they serve. Loop thread only.
public struct GatewaySet {
  private let gateways: [TokenKind: any Gateway]

  public init(_ gateways: [TokenKind: any Gateway]) {
    self.gateways = gateways
  }

  /// Nil when the configuration has no gateway for such tokens.
  public subscript(kind: TokenKind) -> (any Gateway)? { gateways[kind] }

  /// Lets what is under way finish, then closes every connection.
  public func shutdown(_ completion: @escaping () -> Void) {
    var remaining = gateways.count
    guard remaining > 0 else { return completion() }
    for gateway in gateways.values {
      gateway.shutdown {
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
}
