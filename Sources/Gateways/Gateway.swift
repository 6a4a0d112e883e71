/// A way to devices. One instance for each worker's loop, whose thread alone may touch it.
public protocol Gateway: AnyObject {
  /// For logs and metrics: `apns` or `fcm`.
  var name: String { get }
  /// Host and port of the gateway.
  var peer: String { get }

  /// Sends `push`. `completion` is called exactly once on the loop, never within this call, and by
  /// `push.deadline` at the latest.
  func deliver(_ push: GatewayPush, _ completion: @escaping (GatewayOutcome) -> Void)

  /// Takes no more pushes, finishes those under way, closes the connections, then calls `completion` on
  /// the loop. To be called once.
  func shutdown(_ completion: @escaping () -> Void)
}
