import EventLoop

/// Leaves listening sockets with systemd (`FDSTORE=1`, sd_notify(3)) over a restart: they stay open, so the
/// connections that come meanwhile wait for the next run instead of being refused.
struct SocketKeeper: Sendable {
  private static let prefix = "listen@"

  let notifier: ServiceNotifier
  /// Kept by a socket unit.
  let excluded: Set<SocketAddress>

  /// Whether a socket came from an earlier run of ours.
  static func isOurs(_ name: String) -> Bool { name.hasPrefix(prefix) }

  func keep(_ sockets: [ListeningSocket]) {
    for socket in sockets where !excluded.contains(socket.address) {
      notifier.store(socket.descriptor, as: Self.name(socket.address))
    }
  }

  func forget(_ addresses: [SocketAddress]) {
    for address in addresses where !excluded.contains(address) {
      notifier.forget(Self.name(address))
    }
  }

  /// A name may not hold a colon.
  private static func name(_ address: SocketAddress) -> String {
    prefix + address.description.replacing(":", with: ",")
  }
}
