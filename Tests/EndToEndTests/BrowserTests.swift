import MockGateway
import MockRelay
import TestSupport
import Testing

/// What browsers are told: which pages may register clients, and what our own pages may do.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct BrowserTests {
  @Test func anyPageMayUseTheAPIByDefault() throws {
    let appliance = try Appliance()
    let client = appliance.client()
    let asked = try client.send(
      "OPTIONS", "/clients",
      fields: [("origin", "https://wallet.example.com"), ("access-control-request-method", "POST")])
    #expect(asked.status == 200)
    #expect(asked.field("access-control-allow-origin") == "*")
    #expect(asked.field("access-control-allow-methods") == "POST, DELETE")
    #expect(asked.field("access-control-allow-headers") == "authorization, content-type, *")
    let refused = try client.send("POST", "/clients", fields: [("origin", "https://wallet.example.com")])
    #expect(refused.field("access-control-allow-origin") == "*")
    #expect(refused.field("access-control-allow-credentials") == nil)
  }

  @Test func configuredOriginsOnly() throws {
    let appliance = try Appliance {
      $0.server += "\ncors_origins = [\"https://wallet.example.com\", \"http://localhost:3000\"]"
    }
    let client = appliance.client()
    for origin in ["https://wallet.example.com", "http://localhost:3000"] {
      let answer = try client.send("OPTIONS", "/clients/a", fields: [("origin", origin)])
      #expect(answer.field("access-control-allow-origin") == origin)
      #expect(answer.field("vary") == "origin")
    }
    for origin in ["https://evil.example", "https://wallet.example.com.evil.example", "null", ""] {
      let answer = try client.send("OPTIONS", "/clients/a", fields: [("origin", origin)])
      #expect(answer.field("access-control-allow-origin") == nil, "\(origin)")
      #expect(answer.field("vary") == "origin")
    }
  }

  @Test func pagesCarrySecurityHeaders() throws {
    let appliance = try Appliance()
    let page = try appliance.client().send("GET", "/")
    #expect(page.status == 200)
    #expect(page.field("content-security-policy")?.hasPrefix("default-src 'none'; ") == true)
    #expect(page.field("content-security-policy")?.contains("frame-ancestors 'none'") == true)
    #expect(page.field("x-content-type-options") == "nosniff")
    #expect(page.field("x-frame-options") == "DENY")
    #expect(page.field("referrer-policy") == "no-referrer")
    #expect(page.field("cross-origin-opener-policy") == "same-origin")
    #expect(page.field("cross-origin-resource-policy") == "same-origin")
    // Promised only where TLS is ours.
    #expect(page.field("strict-transport-security") == nil)
  }

  @Test func theBasePathAndTheRootBothServe() throws {
    let appliance = try Appliance { $0.publicURL = "http://localhost/push/v1" }
    let client = appliance.client()
    for base in ["", "/push/v1"] {
      #expect(try client.send("GET", base + "/health").status == 200)
      let answer = try client.send(
        "POST", base + "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(
          clientID: try MockWallet().clientID, type: "apns", token: Appliance.apnsToken(), alwaysRaw: true))
      #expect(answer.status == 200)
    }
    #expect(try client.send("GET", "/push/health").status == 404)
  }

  @Test(
    arguments: [
      ("http://push.example.com", "begins with http", 2), ("https://203.0.113.7", "is an address", 2),
      ("https://[2001:db8::1]", "is an address", 2),
      ("https://push.example.com?x=y", "expected no '?' and no '#'", 2),
      ("https://push.example.com/#x", "expected no '?' and no '#'", 2),
      ("https://user:hunter2@push.example.com", "expected no user name or password", 2),
      ("http://localhost:3000", "begins with http", 0), ("http://127.0.0.1:3000", "begins with http", 0),
      ("https://push.example.com/base", "the push URL to give to the WalletConnect dashboard", 0),
    ] as [(String, String, Int32)])
  func checkSaysWhichRuleOfThePublicURLIsBroken(_ url: String, _ words: String, _ status: Int32) throws {
    let appliance = try Appliance()
    try appliance.configure {
      $0.replacing("public_url = \"http://localhost\"", with: "public_url = \"\(url)\"")
    }
    let check = try appliance.command("check")
    #expect(check.text.contains(words), "\(check.text)")
    #expect(check.status == status, "\(check.text)")
    #expect(!check.text.contains("hunter2"))
  }
}
