import Bytes
import HTTP
import Service
import Synchronization
import Telemetry

/// Tells the operator of a reverse proxy that `server.trusted_proxies` does not name: without it all clients share
/// the proxy's limits, and nothing else shows why. Shared by all workers; any thread.
final class ForwardedFieldNotice: Sendable {
  /// Networks in which proxies stand, and strangers hardly ever: private use and the machine itself (RFC 1918,
  /// RFC 4193, RFC 4291, RFC 6598).
  private static let near = [
    "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "::1",
    "fc00::/7", "fe80::/10",
  ].compactMap { IPAddressBlock($0) }

  private let metrics: ServiceMetrics
  private let log: Log
  /// Once for each kind of peer, so that a stranger on the internet cannot use up the line that is for the proxy.
  private let hasToldOfNear = Atomic(false)
  private let hasToldOfFar = Atomic(false)

  init(_ metrics: ServiceMetrics, _ log: Log) {
    self.metrics = metrics
    self.log = log
  }

  /// With other settings it tells anew.
  func reset() {
    hasToldOfNear.store(false, ordering: .relaxed)
    hasToldOfFar.store(false, ordering: .relaxed)
  }

  /// Counts a request whose field is ignored; says so when it is the first.
  func note(_ request: HTTPRequest, _ proxies: TrustedProxies) {
    guard let peer = proxies.ignoredPeer(of: request) else { return }
    metrics.forwardedIgnored.increment()
    let isNear = Self.near.contains { $0.contains(peer) }
    let hasTold =
      isNear
      ? hasToldOfNear.exchange(true, ordering: .relaxed) : hasToldOfFar.exchange(true, ordering: .relaxed)
    guard !hasTold else { return }
    log.warning(
      "X-Forwarded-For is ignored, since its sender is not in server.trusted_proxies; if that is your reverse "
        + "proxy, add its address there: until then all its clients share one address's limits",
      ["peer": "\(peer)"])
  }
}
