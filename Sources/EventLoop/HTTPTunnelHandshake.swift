import Bytes

/// The exchange with a proxy before the tunnel is open, without I/O.
struct HTTPTunnelHandshake {
  enum Progress: Equatable {
    case needsMore
    case open
    case failed(TransportError)
  }

  private static let maximumAnswer = 16_384

  let request: [UInt8]
  private let proxy: String
  private var answer: [UInt8] = []

  init(proxy: OutboundProxy, host: String, port: UInt16) {
    self.proxy = proxy.description
    let target =
      host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
    if let credentials = proxy.credentials {
      text += "Proxy-Authorization: Basic "
      text += Base64.encode(Array("\(credentials.user):\(credentials.password)".utf8)) + "\r\n"
    }
    request = Array((text + "\r\n").utf8)
  }

  /// Takes what the proxy sent.
  mutating func receive(_ bytes: some Sequence<UInt8>) -> Progress {
    var isComplete = false
    for byte in bytes {
      // The peer behind it speaks only when spoken to.
      if isComplete { return fail("it sent more than its answer") }
      answer.append(byte)
      isComplete = answer.count >= 4 && answer[(answer.count - 4)...].elementsEqual([13, 10, 13, 10])
      if answer.count > Self.maximumAnswer { return fail("its answer is no HTTP") }
    }
    guard isComplete else { return .needsMore }
    // `HTTP/1.1 200 Connection established`
    let line = answer.prefix { $0 != 0x0D && $0 != 0x0A }
    let parts = line.split(separator: 0x20, maxSplits: 2)
    guard line.starts(with: "HTTP/1.".utf8), parts.count >= 2, let status = ASCIIDecimal.parse(parts[1])
    else { return fail("its answer is no HTTP") }
    switch status {
    case 200..<300: return .open
    case 407: return fail("it wants other credentials (407): check user and password in outbound.proxy")
    case 403: return fail("it does not allow this connection (403)")
    default: return fail("it answered \(status)")
    }
  }

  func fail(_ reason: String) -> Progress { .failed(.proxyFailed(proxy: proxy, reason: reason)) }
}
