import EventLoop

/// Where one worker is to listen.
struct WorkerListener: Sendable {
  let address: SocketAddress
  let place: ListeningPlace
  /// Sockets that listen there already; without any, a new one is opened.
  let sockets: [ListeningSocket]
}

/// The listening sockets that the service manager passed to this process: those of a socket unit, and those
/// that an earlier run left there (`SocketKeeper`).
struct InheritedSockets: Sendable {
  private let sockets: [ListeningSocket]

  init(_ environment: [String: String]) {
    sockets = ListeningSocket.inherited(environment)
  }

  private init() { sockets = [] }

  static let none = InheritedSockets()

  /// What worker `index` of `count` listens with at `address`; empty when nothing was passed for it. Every socket
  /// gets a worker, since connections wait at it, and every worker a socket, with as few as possible shared.
  func share(_ address: SocketAddress, worker index: Int, of count: Int) -> [ListeningSocket] {
    let own = sockets.filter { $0.address == address }
    guard !own.isEmpty else { return [] }
    let dealt = own.indices.filter { $0 % count == index }.map { own[$0] }
    return dealt.isEmpty ? [own[index % own.count]] : dealt
  }

  /// Refuses sockets of a unit at an address that is not configured: nobody would ever answer there.
  func check(_ addresses: [SocketAddress]) throws(ServerError) {
    for socket in sockets where !addresses.contains(socket.address) && !SocketKeeper.isOurs(socket.name) {
      throw ServerError(
        "server.listen: systemd passes a socket at \(socket.address) (\(socket.name)), which is not listed; "
          + "make server.listen and ListenStream= of the socket unit the same")
    }
  }

  /// Sockets that an earlier run left and that nobody wants any more.
  func obsolete(_ addresses: [SocketAddress]) -> [SocketAddress] {
    Array(Set(sockets.filter { !addresses.contains($0.address) }.map(\.address)))
  }

  /// Addresses of a socket unit: systemd keeps these by itself.
  var unitAddresses: Set<SocketAddress> {
    Set(sockets.filter { !SocketKeeper.isOurs($0.name) }.map(\.address))
  }

  /// Once each worker has its own descriptors.
  func close() {
    for socket in sockets { socket.close() }
  }
}
