import Glibc

/// The address of a Unix socket (unix(7)): a path, or after an `@` a name in the abstract namespace, which needs
/// no file and ends with the socket.
struct UnixAddress {
  private var storage = sockaddr_un()
  private let length: socklen_t

  /// nil when `text` is empty or too long.
  init?(_ text: String) {
    storage.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: storage.sun_path) else {
      return nil
    }
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
    // Of a length of its own: a name in the abstract namespace is not ended by a zero.
    length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
  }

  func withSockaddr<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
