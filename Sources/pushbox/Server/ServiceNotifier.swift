import EventLoop

/// Tells systemd how the service is doing, as sd_notify(3) wants it: a text in a
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

  /// The start goes on for at most that many seconds from now, whatever `TimeoutStartSec` says.
  func starting(_ status: String, within seconds: Int) {
    send("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)\nSTATUS=\(Self.line(status))")
  }

  /// `systemctl reload` waits from now until `ready`.
  func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now().nanoseconds / 1000)")
  }

  func stopping() {
    send("STOPPING=1")
  }

  /// Feeds the watchdog.
  func alive() {
    send("WATCHDOG=1")
  }

  /// Leaves a descriptor with systemd, which passes it to the next run. It is not polled: only we know whether
  /// it is any good.
  func store(_ descriptor: Int32, as name: String) {
    send("FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", descriptor)
  }

  /// Takes descriptors of that name back.
  func forget(_ name: String) {
    send("FDSTOREREMOVE=1\nFDNAME=\(name)")
  }

  /// A line feed would end the value.
  private static func line(_ text: String) -> String {
    String(text.prefix(400).map { $0.isNewline ? " " : $0 })
  }

  private func send(_ text: String, _ descriptor: Int32? = nil) {
    guard let address else { return }
    UnixDatagram.send(Array(text.utf8), to: address, descriptor: descriptor)
  }
}
