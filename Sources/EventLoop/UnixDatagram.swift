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
    guard var place = socketAddress(address) else { return }
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return }
    defer { close(file) }
    // Of a length of its own: a name in the abstract namespace is not ended by a zero.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
    _ = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        linux_send_with_descriptor(file, bytes, bytes.count, descriptor ?? -1, $0, length)
      }
    }
  }

  private static func socketAddress(_ text: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      return nil
    }
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
