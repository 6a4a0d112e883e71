import Bytes
import EventLoop

/// Counts the connections of each address (IPv6: of each /64) over all servers that share it, and says when
/// one has too many. Any thread; one lock a connection.
public final class ConnectionLimiter: Sendable {
  private struct State {
    var limit: Int?
    var exempt: [IPAddressBlock] = []
    var proxies = TrustedProxies()
    var open: [IPAddress: Int] = [:]
  }

  private let state = Locked(State())

  public init() {}

  /// Holds for connections from now on.
  ///
  /// - Parameters:
  ///   - limit: connections of one address at once; nil for any number.
  ///   - exempt: addresses without a limit, besides the proxies, whose connections are those of many clients.
  public func configure(limit: Int?, exempt: [IPAddressBlock], proxies: TrustedProxies) {
    state.withLock { state in
      state.limit = limit
      state.exempt = exempt
      state.proxies = proxies
    }
  }

  /// Takes up a connection; nil when its address has too many. To be followed by `close` with the result.
  func open(_ peer: SocketAddress) -> IPAddress? {
    guard let address = IPAddress(bytes: peer.ipBytes) else { return nil }
    let network = address.network
    return state.withLock { state in
      let count = state.open[network] ?? 0
      if let limit = state.limit, count >= limit, !state.proxies.contains(address),
        !state.exempt.contains(where: { $0.contains(address) })
      {
        return nil
      }
      state.open[network] = count + 1
      return network
    }
  }

  func close(_ network: IPAddress) {
    state.withLock { state in
      let count = state.open[network] ?? 0
      state.open[network] = count > 1 ? count - 1 : nil
    }
  }
}
