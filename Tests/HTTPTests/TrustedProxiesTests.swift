import Bytes
import EventLoop
import HTTP
import Testing

@Suite struct TrustedProxiesTests {
  /// Whose request it is that came from `peer` with these `X-Forwarded-For` lines.
  private func client(_ trusted: [String], _ peer: String, _ lines: [String]) throws -> String? {
    var request = HTTPRequest(method: "GET", path: "/")
    request.remoteAddress = SocketAddress(ip: peer, port: 1)
    for line in lines { request.fields.add("x-forwarded-for", line) }
    return TrustedProxies(trusted.compactMap { IPAddressBlock($0) }).clientAddress(of: request)?.description
  }

  @Test func withoutTrustTheFieldIsIgnored() throws {
    #expect(try client([], "127.0.0.1", ["192.0.2.1"]) == "127.0.0.1")
    #expect(try client(["10.0.0.0/8"], "127.0.0.1", ["192.0.2.1"]) == "127.0.0.1")
    #expect(try client(["127.0.0.1"], "127.0.0.1", []) == "127.0.0.1")
  }

  @Test func theRightmostUntrustedAddressCounts() throws {
    let trusted = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48"]
    #expect(try client(trusted, "127.0.0.1", ["192.0.2.1"]) == "192.0.2.1")
    // The left part is what the client made up.
    #expect(try client(trusted, "127.0.0.1", ["1.1.1.1, 192.0.2.1"]) == "192.0.2.1")
    #expect(try client(trusted, "127.0.0.1", ["1.1.1.1, 192.0.2.1,10.1.1.1"]) == "192.0.2.1")
    #expect(try client(trusted, "127.0.0.1", ["1.1.1.1", "192.0.2.1\t, 10.1.1.1"]) == "192.0.2.1")
    #expect(try client(trusted, "2001:db8:ffff::1", ["2001:db8::7"]) == "2001:db8::7")
    // All trusted: whoever began.
    #expect(try client(trusted, "127.0.0.1", ["10.0.0.2, 10.0.0.3"]) == "10.0.0.2")
  }

  @Test(arguments: [
    "192.0.2.1", "192.0.2.1:443", " 192.0.2.1 ", "[::ffff:192.0.2.1]:80", "[::ffff:192.0.2.1]",
  ])
  func addressesMayCarryAPort(_ member: String) throws {
    #expect(try client(["127.0.0.1"], "127.0.0.1", ["9.9.9.9, \(member)"]) == "192.0.2.1")
  }

  @Test(arguments: ["unknown", "", "_hidden", "192.0.2.1:", "192.0.2.1:x", "[::1", "192.0.2.1:99999", "a.b"])
  func whatIsNoAddressEndsTheChain(_ member: String) throws {
    #expect(try client(["127.0.0.0/8"], "127.0.0.1", ["9.9.9.9, \(member)"]) == "127.0.0.1")
    #expect(try client(["127.0.0.0/8"], "127.0.0.1", ["9.9.9.9, \(member), 127.0.0.2"]) == "127.0.0.2")
  }

  @Test func whoseWordIsIgnoredIsKnown() throws {
    func ignored(_ trusted: [String], _ peer: String, _ fields: [String]) -> String? {
      var request = HTTPRequest(method: "GET", path: "/")
      request.remoteAddress = SocketAddress(ip: peer, port: 1)
      for field in fields { request.fields.add(field, "192.0.2.1") }
      return TrustedProxies(trusted.compactMap { IPAddressBlock($0) }).ignoredPeer(of: request)?.description
    }
    #expect(ignored([], "10.0.0.5", ["x-forwarded-for"]) == "10.0.0.5")
    #expect(ignored(["10.0.0.4"], "10.0.0.5", ["x-forwarded-for"]) == "10.0.0.5")
    #expect(ignored(["10.0.0.0/24"], "10.0.0.5", ["x-forwarded-for"]) == nil)
    #expect(ignored([], "10.0.0.5", ["x-forwarded"]) == nil)
  }

  @Test func anEndlessChainIsNotReadToItsEnd() throws {
    let chain = (["9.9.9.9"] + [String](repeating: "127.0.0.3", count: 500)).joined(separator: ",")
    #expect(try client(["127.0.0.0/8"], "127.0.0.1", [chain]) == "127.0.0.3")
  }
}
