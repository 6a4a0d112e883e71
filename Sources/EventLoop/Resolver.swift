import CLinux
import Glibc

/// Host names to addresses by the system. `getaddrinfo` blocks: see `ResolverCache`.
enum Resolver {
  /// Asks the system, on the calling thread.
  static func lookUp(host: String, port: UInt16) -> Result<[SocketAddress], TransportError> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else {
      return .failure(.resolveFailed(host: host, reason: String(cString: gai_strerror(code))))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      var storage = sockaddr_storage()
      if let from = entry.ai_addr, Int(entry.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size {
        withUnsafeMutableBytes(of: &storage) {
          $0.copyMemory(from: UnsafeRawBufferPointer(start: from, count: Int(entry.ai_addrlen)))
        }
        if let address = SocketAddress(storage), !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.ai_next
    }
    guard !addresses.isEmpty else {
      return .failure(.resolveFailed(host: host, reason: "it has no address"))
    }
    return .success(addresses)
  }
}
