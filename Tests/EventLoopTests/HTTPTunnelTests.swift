import Bytes
import Testing

@testable import EventLoop

@Suite struct HTTPTunnelHandshakeTests {
  private let proxy = OutboundProxy(
    host: "proxy.test", port: 3128, credentials: .init(user: "u", password: "p:w"))

  @Test func theRequestNamesTheTargetAndTheUser() {
    let handshake = HTTPTunnelHandshake(proxy: proxy, host: "api.push.apple.com", port: 443)
    #expect(
      String(decoding: handshake.request, as: UTF8.self)
        == "CONNECT api.push.apple.com:443 HTTP/1.1\r\nHost: api.push.apple.com:443\r\n"
        + "Proxy-Authorization: Basic dTpwOnc=\r\n\r\n")
    let plain = HTTPTunnelHandshake(proxy: OutboundProxy(host: "p", port: 1), host: "::1", port: 2197)
    #expect(
      String(decoding: plain.request, as: UTF8.self)
        == "CONNECT [::1]:2197 HTTP/1.1\r\nHost: [::1]:2197\r\n\r\n")
    #expect(!proxy.description.contains("p:w"))
  }

  private func progress(_ text: String) -> HTTPTunnelHandshake.Progress {
    var handshake = HTTPTunnelHandshake(proxy: proxy, host: "h", port: 443)
    var progress = HTTPTunnelHandshake.Progress.needsMore
    // Byte by byte, as it may come.
    for byte in text.utf8 where progress == .needsMore { progress = handshake.receive([byte]) }
    return progress
  }

  @Test func answers() {
    #expect(progress("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n") == .open)
    #expect(progress("HTTP/1.0 200\r\n\r\n") == .open)
    #expect(progress("HTTP/1.1 200 OK\r\n") == .needsMore)
    #expect(
      progress("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        == .failed(
          .proxyFailed(
            proxy: "proxy.test:3128",
            reason: "it wants other credentials (407): check user and password in outbound.proxy")))
    #expect(
      progress("HTTP/1.1 502 Bad\r\n\r\n")
        == .failed(.proxyFailed(proxy: "proxy.test:3128", reason: "it answered 502")))
    for text in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1\r\n\r\n", String(repeating: "a", count: 17_000)] {
      guard case .failed = progress(text) else {
        Issue.record("took \(text.prefix(20))")
        continue
      }
    }
    var early = HTTPTunnelHandshake(proxy: proxy, host: "h", port: 443)
    guard case .failed = early.receive(Array("HTTP/1.1 200 OK\r\n\r\nx".utf8)) else {
      Issue.record("took bytes of a peer that was not spoken to")
      return
    }
  }
}
