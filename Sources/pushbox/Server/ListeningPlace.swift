import Configuration

/// An address to listen at, and for whom.
struct ListeningPlace: Hashable, Sendable {
  let address: ListenAddress
  /// The admin page's own: nothing else is there, and it speaks plain HTTP, for an SSH tunnel or a proxy.
  let isAdmin: Bool

  /// For the log.
  var role: String { isAdmin ? "admin" : "public" }
  /// The configuration's key that it came by.
  var key: String { isAdmin ? "admin.listen" : "server.listen" }
}

extension Configuration {
  /// Everywhere to listen, the public addresses first.
  var places: [ListeningPlace] {
    server.listen.map { ListeningPlace(address: $0, isAdmin: false) }
      + (admin?.listen ?? []).map { ListeningPlace(address: $0, isAdmin: true) }
  }
}
