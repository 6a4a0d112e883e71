import CLinux
import Glibc

/// One datagram to a Unix socket.
public enum UnixDatagram {
  /// Sends `bytes` and forgets: the receiver may be gone, and nothing depends on it.
  ///
  /// - Parameters:
  ///   - address: a path, or a name in the abstract namespace after an `@`.
  ///   - descriptor: goes along; the receiver gets one of its own.
  public static func send(_ bytes: [UInt8], to address: String, descriptor: Int32? = nil) {
    guard let place = UnixAddress(address) else { return }
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = place.withSockaddr { linux_send_with_descriptor(file, bytes, bytes.count, descriptor ?? -1, $0, $1) }
  }
}
