import EventLoop
import Glibc

/// Tells systemd how the service is doing, as sd_notify(3) and `Type=notify-reload` want it: a text in a
/// datagram to the socket that `NOTIFY_SOCKET` names. Does nothing when there is none.
struct ServiceNotifier: Sendable {
  /// A path, or a name in the abstract namespace after an `@`.
  private let address: String?

  init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"]
  }

  /// Ready to serve, also after a reload, whatever came of it: `status` says so to `systemctl status`.
  func ready(_ status: String) {
    send("READY=1\nSTATUS=\(Self.line(status))")
  }

  /// `systemctl reload` waits from now until `ready`.
  func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now().nanoseconds / 1000)")
  }

  func stopping() {
    send("STOPPING=1")
  }

  /// A line feed would end the value.
  private static func line(_ text: String) -> String {
    String(text.prefix(400).map { $0.isNewline ? " " : $0 })
  }

  private func send(_ text: String) {
    guard let address, var place = Self.socketAddress(address) else { return }
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array(text.utf8)
    // Of a length of its own: a name in the abstract namespace is not ended by a zero.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
    _ = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(file, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
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
