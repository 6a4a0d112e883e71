/// A way to devices. One instance for each worker's loop, whose thread alone may touch it.
public protocol Gateway: AnyObject {
  /// For logs and metrics: `apns` or `fcm`.
  var name: String { get }
  /// Host and port of the gateway.
  var peer: String { get }
  /// How much goes on at present.
  var load: GatewayLoad { get }

  /// Sends `push`. `completion` is called exactly once on the loop, never within this call, and by
  /// `push.deadline` at the latest.
  func deliver(_ push: GatewayPush, _ completion: @escaping (GatewayOutcome) -> Void)

  /// Takes no more pushes, finishes those under way, closes the connections, then calls `completion` on
  /// the loop. To be called once.
  func shutdown(_ completion: @escaping () -> Void)
}

/// How much goes on at one gateway, on one loop.
public struct GatewayLoad: Sendable, Equatable {
  public var connections = 0
  /// Requests that wait for their answer.
  public var streams = 0
  /// Requests that wait for a stream.
  public var queued = 0

  public init() {}
}

extension Gateway {
  /// For gateways without connections.
  public var load: GatewayLoad { GatewayLoad() }
}
