import Gateways

/// A gateway of one worker and the deliveries that use it: once replaced, it is closed with the last of
/// them. Loop thread only.
final class GatewayLease {
  let gateway: any Gateway
  private var users = 0
  /// Whether a new configuration has replaced it.
  private(set) var isRetired = false

  init(_ gateway: any Gateway) {
    self.gateway = gateway
  }

  func begin() {
    users += 1
  }

  func end() {
    users -= 1
    closeWhenUnused()
  }

  /// To be called once.
  func retire() {
    isRetired = true
    closeWhenUnused()
  }

  private func closeWhenUnused() {
    guard isRetired, users == 0 else { return }
    gateway.shutdown {}
  }
}
