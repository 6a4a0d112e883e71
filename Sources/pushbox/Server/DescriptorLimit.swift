import Glibc
import Telemetry

/// How many files and sockets this process may have open.
enum DescriptorLimit {
  /// For the store, gateways, listeners and logs.
  private static let reserve = 256

  /// Takes all that the system allows, and warns when that is too little for `connections`.
  static func raise(for connections: Int, log: Log) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    }
    guard limit.rlim_cur < UInt(clamping: connections + reserve) else { return }
    log.warning(
      "the system allows fewer open files than server.max_connections needs: raise LimitNOFILE of the service, or lower the key",
      ["allowed": .number(limit.rlim_cur), "needed": .number(connections + reserve)])
  }
}
