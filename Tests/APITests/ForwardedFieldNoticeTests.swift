import Bytes
import EventLoop
import HTTP
import Service
import Telemetry
import Testing

@testable import API

@Suite struct ForwardedFieldNoticeTests {
  private let metrics = ServiceMetrics(registry: MetricsRegistry())
  private let lines = Lines()
  private let notice: ForwardedFieldNotice

  private final class Lines: Sendable {
    let all = Locked<[String]>([])
  }

  init() {
    let lines = self.lines
    let log = Log(sink: { line in
      lines.all.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    })
    notice = ForwardedFieldNotice(metrics, log)
  }

  private func call(from peer: String, _ trusted: String...) {
    var request = HTTPRequest(method: "GET", path: "/")
    request.remoteAddress = SocketAddress(ip: peer, port: 1)
    request.fields.add("x-forwarded-for", "192.0.2.1")
    notice.note(request, TrustedProxies(trusted.compactMap { IPAddressBlock($0) }))
  }

  private var peers: [String] {
    lines.all.withLock { $0.compactMap { $0.split(separator: "peer=").last.map { String($0.dropLast()) } } }
  }

  /// Whoever sends the field from the internet first cannot use up the line that is for the operator's proxy.
  @Test func aProxyNearbyIsToldOfHoweverManyStrangersCame() {
    for _ in 0..<3 { call(from: "203.0.113.7") }
    for _ in 0..<3 { call(from: "172.17.0.2") }
    call(from: "::1")
    #expect(peers == ["203.0.113.7", "172.17.0.2"])
    #expect(metrics.forwardedIgnored.value == 7)
  }

  @Test func otherSettingsTellAnew() {
    call(from: "10.0.0.5")
    notice.reset()
    call(from: "10.0.0.6")
    #expect(peers == ["10.0.0.5", "10.0.0.6"])
  }

  @Test func aTrustedProxyIsNoNews() {
    call(from: "10.0.0.5", "10.0.0.0/8")
    #expect(peers.isEmpty && metrics.forwardedIgnored.value == 0)
  }
}
