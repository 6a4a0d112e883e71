import Gateways
import Testing

@Suite struct GatewayEndpointTests {
  @Test(
    arguments: [
      ("https://api.push.apple.com", "api.push.apple.com", 443, "api.push.apple.com"),
      ("HTTPS://API.push.apple.com/", "api.push.apple.com", 443, "api.push.apple.com"),
      ("https://localhost:8443", "localhost", 8443, "localhost:8443"),
      ("https://127.0.0.1:443", "127.0.0.1", 443, "127.0.0.1"),
      ("https://[::1]:8443/", "::1", 8443, "[::1]:8443"),
      ("https://[::1]", "::1", 443, "[::1]"),
    ] as [(String, String, UInt16, String)])
  func reads(url: String, host: String, port: UInt16, authority: String) throws {
    let endpoint = try GatewayEndpoint(url: url)
    #expect(endpoint.host == host)
    #expect(endpoint.port == port)
    #expect(endpoint.authority == authority)
    #expect(endpoint.description.hasSuffix(":\(port)"))
  }

  @Test(
    arguments: [
      ("", .notHTTPS), ("api.push.apple.com", .notHTTPS), ("http://api.push.apple.com", .notHTTPS),
      ("https://", .invalidHost), ("https://:443", .invalidHost), ("https://a b", .invalidHost),
      ("https://user@host", .invalidHost), ("https://ü.example", .invalidHost),
      ("https://[::1", .invalidHost),
      ("https://[127.0.0.1]", .invalidHost), ("https://[]", .invalidHost),
      ("https://a:", .invalidPort), ("https://a:0", .invalidPort), ("https://a:65536", .invalidPort),
      ("https://a:+1", .invalidPort), ("https://a:1:2", .invalidPort), ("https://[::1]443", .invalidPort),
      ("https://a/b", .notOnlyHost), ("https://a?b", .notOnlyHost), ("https://a:1#b", .notOnlyHost),
    ] as [(String, GatewayEndpointError)])
  func refuses(url: String, expected: GatewayEndpointError) {
    #expect(throws: expected) { try GatewayEndpoint(url: url) }
    #expect(expected.description.contains("https://"))
  }

  @Test func theRealOnes() {
    #expect(GatewayEndpoint.apns.description == "api.push.apple.com:443")
    #expect(GatewayEndpoint.apnsSandbox.authority == "api.sandbox.push.apple.com")
    #expect(GatewayEndpoint.fcm.authority == "fcm.googleapis.com")
  }
}
