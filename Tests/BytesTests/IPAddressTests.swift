import Bytes
import Testing

@Suite struct IPAddressTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test func readsAndWritesAddresses() throws {
    for text in ["0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1", "fe80::1:2:3:4"] {
      #expect(try address(text).description == text)
    }
    #expect(try address("2001:DB8:0:0::1").description == "2001:db8::1")
    for text in [
      "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "::g", "[::1]", "1.2.3.4:80", "fe80::1%lo",
    ] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
    #expect(IPAddress(bytes: [1, 2, 3, 4])?.description == "1.2.3.4")
    #expect(IPAddress(bytes: [1, 2, 3]) == nil)
  }

  @Test func anIPv4AddressInIPv6FormIsTheSame() throws {
    #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
    #expect(try address("::ffff:c000:201") == address("192.0.2.1"))
    #expect(try address("::192.0.2.1") != address("192.0.2.1"))
  }

  @Test func aNetworkIsTheAddressOrItsFirst64Bits() throws {
    #expect(try address("192.0.2.1").network == address("192.0.2.1"))
    #expect(try address("2001:db8:1:2:3:4:5:6").network == address("2001:db8:1:2::"))
    #expect(try address("2001:db8:1:2::1").network == address("2001:db8:1:2:ffff::").network)
    #expect(try address("2001:db8:1:2::1").network != address("2001:db8:1:3::1").network)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("10.1.2.3/8", "10.9.9.9", true), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "192.0.2.1", false),
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
    ("2001:db8::/65", "2001:db8::7fff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
    ("::1", "::1", true), ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
    ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.129", true),
  ])
  func blocks(_ block: String, _ member: String, _ isInside: Bool) throws {
    let parsed = try #require(IPAddressBlock(block))
    #expect(try parsed.contains(address(member)) == isInside)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0.0/-1", "a/8", "10/8",
    "::ffff:1.2.3.4/95",
  ])
  func noBlocks(_ text: String) {
    #expect(IPAddressBlock(text) == nil)
  }
}
