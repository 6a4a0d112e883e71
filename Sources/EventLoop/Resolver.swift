import CLinux
import Glibc

/// Host names to addresses. `getaddrinfo` blocks, so each look-up has a short-lived thread of its own:
/// look-ups are rare (one a connection), and a slow one must not hold up another host's.
public enum Resolver {
  /// Resolves `host` and calls `completion` on `loop`, in the order to try. Numeric addresses need no
  /// thread and complete at once.
  public static func resolve(
    host: String, port: UInt16, on loop: EventLoop,
    _ completion: @escaping @Sendable (Result<[SocketAddress], TransportError>) -> Void
  ) {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if let address = SocketAddress(ip: bare, port: port) {
      return completion(.success([address]))
    }
    do throws(SystemError) {
      let thread = try SystemThread(name: "resolver") {
        let result = lookUp(host: bare, port: port)
        loop.execute { completion(result) }
      }
      thread.detach()
    } catch {
      completion(.failure(.resolveFailed(host: host, reason: error.description)))
    }
  }

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
