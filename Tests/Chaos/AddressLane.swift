import Bytes
import EventLoop
import Glibc
import MockGateway
import TestSupport

/// The gateways' other address, which takes connections and does nothing, or refuses them.
final class AddressLane: Lane {
  enum Kind: CaseIterable {
    case refusing, silent
  }

  private let gateway: MockGateway
  private let sockets = Locked<[Int32]>([])

  init(gateway: MockGateway) throws {
    self.gateway = gateway
  }

  deinit {
    close()
  }

  func disturb(_ kind: Kind, _ random: inout Randomness) throws -> String {
    if kind == .silent { try listen() }
    // New connections have to choose.
    gateway.goAway(at: Bool.random(using: &random) ? .apnsProduction : .fcm)
    pause(random.milliseconds(1000...4000))
    close()
    return "address: \(kind)"
  }

  func settle() {
    close()
  }

  /// No `accept`: the kernel takes connections by itself.
  private func listen() throws {
    for service in MockGateway.Service.allCases {
      let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      sockets.withLock { $0.append(socket) }
      var isOn: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      address.sin6_port = gateway.port(of: service).bigEndian
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
        }
      }
      guard isBound, Glibc.listen(socket, 64) == 0 else {
        throw TestSupportError("listen on ::1: \(String(cString: strerror(errno)))")
      }
    }
  }

  private func close() {
    let open = sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in open { Glibc.close(socket) }
  }
}
