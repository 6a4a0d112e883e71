import Glibc

/// A port on 127.0.0.1 that nobody listens at and no other test can get, as long as this lives. Only who asks for
/// `SO_REUSEPORT`, as pushbox with several workers does, may listen there all the same.
public final class HeldPort: Sendable {
  public let port: UInt16
  private let file: Int32

  /// - Parameter port: zero for any. One in use by others than such a listener gives an error.
  public init(_ port: UInt16 = 0) throws {
    file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var isOn: Int32 = 1
    setsockopt(file, SOL_SOCKET, SO_REUSEPORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let file = file
    let isHeld = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, length) == 0 && getsockname(file, $0, &length) == 0
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    guard isHeld else { throw TestSupportError("no port to hold: \(errno)") }
  }

  deinit {
    close(file)
  }
}
