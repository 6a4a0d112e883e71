import Bytes
import EventLoop
import Service
import Testing

@Suite struct RateLimiterTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000_000)

  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test func aBurstPassesThenOneForEachTokenThatComesBack() throws {
    let limiter = RateLimiter(perMinute: 30)
    let client = try address("192.0.2.1")
    #expect(limiter.wait(client, now: start) == nil)
    for _ in 0..<30 { #expect(limiter.take(client, now: start) == nil) }
    #expect(limiter.take(client, now: start) == 2)
    #expect(limiter.wait(client, now: start) == 2)
    // A refused try costs nothing.
    #expect(limiter.take(client, now: start + .milliseconds(1500)) == 1)
    #expect(limiter.take(client, now: start + .seconds(2)) == nil)
    #expect(limiter.take(client, now: start + .seconds(2)) == 2)
    #expect(limiter.take(try address("192.0.2.2"), now: start) == nil)
    // Full again after a minute.
    let later = start + .seconds(62)
    for _ in 0..<30 { #expect(limiter.take(client, now: later) == nil) }
    #expect(limiter.take(client, now: later) != nil)
  }

  @Test func anIPv6NetworkOf64BitsIsOneAddress() throws {
    let limiter = RateLimiter(perMinute: 1)
    #expect(limiter.take(try address("2001:db8::1"), now: start) == nil)
    #expect(limiter.take(try address("2001:db8::ffff:1"), now: start) == 60)
    #expect(limiter.take(try address("2001:db8:0:1::1"), now: start) == nil)
  }

  @Test func noLimitAndExemptAddresses() throws {
    let open = RateLimiter(perMinute: 0)
    let limiter = RateLimiter(perMinute: 1, exempt: [try #require(IPAddressBlock("127.0.0.0/8"))])
    for _ in 0..<100 {
      #expect(open.take(try address("192.0.2.1"), now: start) == nil)
      #expect(limiter.take(try address("127.0.0.9"), now: start) == nil)
    }
    #expect(limiter.take(try address("192.0.2.1"), now: start) == nil)
    #expect(limiter.take(try address("192.0.2.1"), now: start) == 60)
    limiter.configure(perMinute: 0)
    #expect(limiter.take(try address("192.0.2.1"), now: start) == nil)
  }

  /// More networks than places: it still works, and an address that is in debt is hardly ever forgotten.
  @Test func theTableIsBounded() throws {
    let limiter = RateLimiter(perMinute: 10)
    let debtors = try (0..<50).map { try address("203.0.113.\($0)") }
    for debtor in debtors { for _ in 0..<10 { _ = limiter.take(debtor, now: start) } }
    for index in 0..<200_000 {
      let other = IPAddress(bytes: [10, UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)])
      _ = limiter.take(try #require(other), now: start)
    }
    let remembered = debtors.filter { limiter.take($0, now: start) != nil }.count
    #expect(remembered == debtors.count)
  }
}
