/// One gateway in one worker. Loop thread only.
public protocol Gateway: AnyObject {
  var name: String { get }
  func deliver(_ push: GatewayPush, _ completion: @escaping (GatewayOutcome) -> Void)
  func shutdown(_ completion: @escaping () -> Void)
}
