import Bytes
import EventLoop
import Testing

@testable import HTTP

@Suite struct ConnectionLimiterTests {
  private func open(_ limiter: ConnectionLimiter, _ ip: String) throws -> IPAddress? {
    limiter.open(try #require(SocketAddress(ip: ip, port: 1)))
  }

  @Test func anIPv6NetworkOf64BitsIsOneAddress() throws {
    let limiter = ConnectionLimiter()
    limiter.configure(limit: 2, exempt: [], proxies: TrustedProxies())
    let first = try #require(try open(limiter, "2001:db8::1"))
    #expect(try open(limiter, "2001:db8::2") != nil)
    #expect(try open(limiter, "2001:db8::3") == nil)
    #expect(try open(limiter, "2001:db8:0:1::3") != nil)
    limiter.close(first)
    #expect(try open(limiter, "2001:db8::3") != nil)
  }

  @Test func aChangedLimitHoldsForWhatIsOpenAlready() throws {
    let limiter = ConnectionLimiter()
    for _ in 0..<3 { #expect(try open(limiter, "192.0.2.1") != nil) }
    limiter.configure(limit: 3, exempt: [], proxies: TrustedProxies())
    #expect(try open(limiter, "192.0.2.1") == nil)
    #expect(try open(limiter, "192.0.2.2") != nil)
    let exempt = try #require(IPAddressBlock("192.0.2.0/24"))
    limiter.configure(limit: 3, exempt: [exempt], proxies: TrustedProxies())
    #expect(try open(limiter, "192.0.2.1") != nil)
  }
}
