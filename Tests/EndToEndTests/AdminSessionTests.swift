import EventLoop
import Glibc
import JSON
import MockRelay
import TestSupport
import Testing

/// Signing in to the admin page, and what those who did not get to see.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct AdminSessionTests {
  /// Every route but `session` and `login`.
  private static let guarded: [(method: String, path: String)] = [
    ("POST", "logout"), ("GET", "overview"), ("GET", "metrics/history?range=hour"),
    ("POST", "registrations/search"), ("GET", "registrations/a"), ("DELETE", "registrations/a"),
    ("POST", "registrations/a/restore"), ("POST", "registrations/a/revive"),
    ("POST", "registrations/a/test-push"), ("GET", "why/a"), ("GET", "deliveries"),
    ("GET", "deliveries/stream"), ("GET", "configuration"), ("POST", "reload"), ("GET", "backup"),
    ("GET", "actions"),
  ]

  @Test func withoutASectionThePageSaysHowToTurnItOnAndNothingElse() throws {
    let appliance = try Appliance()
    let browser = AdminBrowser(appliance)
    let session = try browser.get("session")
    #expect(session.status == 200)
    #expect(session.json?["enabled"]?.boolValue == false)
    #expect(session.json?["how_to_enable"]?.stringValue?.contains("pushbox hash-password") == true)
    for route in Self.guarded + [("POST", "login")] {
      let response = try browser.send(route.method, route.path, "{}")
      #expect(response.status == 404, "\(route)")
      #expect(response.errorName == "admin_disabled", "\(route)")
    }
  }

  @Test func withoutASessionEveryRouteAnswers401AndTellsNothing() throws {
    let appliance = try Appliance.withAdmin()
    let token = Appliance.apnsToken()
    let wallet = try appliance.registered(token: token)
    let browser = AdminBrowser(appliance)
    for route in Self.guarded {
      for path in [route.path, route.path.replacing("/a", with: "/" + wallet.clientID)] {
        let response = try browser.send(route.method, path, "{}")
        #expect(response.status == 401, "\(route)")
        #expect(response.errorName == "unauthenticated")
        #expect(response.field("cache-control") == "no-store")
        #expect(response.field("access-control-allow-origin") == nil)
        #expect(!response.text.contains(wallet.clientID))
      }
    }
    // A made-up session is none.
    let forged = try browser.client.send(
      "GET", "/admin/api/overview",
      fields: [("cookie", "pushbox_session=" + String(repeating: "0", count: 64))])
    #expect(forged.status == 401)
    #expect(try browser.get("session").json?["signed_in"]?.boolValue == false)
  }

  @Test func theRightPasswordOpensASessionAndLogoutEndsIt() throws {
    let appliance = try Appliance.withAdmin()
    let browser = AdminBrowser(appliance)
    let wrong = try browser.logIn("wrong horse battery")
    #expect(wrong.status == 401)
    #expect(wrong.errorName == "wrong_password")
    #expect(wrong.field("set-cookie") == nil)
    let right = try browser.logIn()
    #expect(right.status == 200)
    let cookie = try #require(right.field("set-cookie"))
    #expect(cookie.contains("; HttpOnly"))
    #expect(cookie.contains("; SameSite=Strict"))
    #expect(cookie.contains("; Path=/;"))
    let session = try browser.get("session")
    #expect(session.json?["signed_in"]?.boolValue == true)
    #expect(session.json?["csrf_token"]?.stringValue == browser.csrfToken)
    #expect(try browser.get("overview").status == 200)
    let logout = try browser.send("POST", "logout")
    #expect(logout.status == 200)
    #expect(logout.field("set-cookie")?.contains("Max-Age=0") == true)
    #expect(try browser.get("overview").status == 401)
    let log = appliance.log
    #expect(log.contains("action=login"))
    #expect(!log.contains("horse"))
  }

  @Test func behindHTTPSTheCookieIsForThisHostAlone() throws {
    let appliance = try Appliance.withAdmin { $0.publicURL = "https://push.example.com" }
    let cookie = try #require(try AdminBrowser(appliance).logIn().field("set-cookie"))
    #expect(cookie.hasPrefix("__Host-pushbox_session="))
    #expect(cookie.contains("; Secure"))
  }

  @Test func aSessionEndsWithItsTime() throws {
    // Long enough for a slow machine to ask twice within it.
    let appliance = try Appliance.withAdmin(more: "session_ttl_s = 3")
    let browser = try AdminBrowser(signedInAt: appliance)
    #expect(try browser.get("actions").status == 200)
    let expiry = try #require(browser.get("session").json?["expires_at"]?.uint64Value)
    // Bounded by the session's own seconds.
    while WallClock.milliseconds() <= expiry { usleep(20_000) }
    #expect(try browser.get("actions").status == 401)
  }

  @Test func guessingLocksTheAddressOut() throws {
    let appliance = try Appliance.withAdmin()
    let browser = AdminBrowser(appliance)
    for _ in 0..<3 { #expect(try browser.logIn("guess").status == 401) }
    let locked = try browser.logIn()
    #expect(locked.status == 429)
    #expect(locked.errorName == "locked_out")
    #expect(locked.field("retry-after") == "1")
    #expect(locked.field("set-cookie") == nil)
  }

  @Test func whatChangesSomethingNeedsTheTokenAndThisSite() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let browser = try AdminBrowser(signedInAt: appliance)
    let cookie = try #require(browser.cookie)
    let path = "/admin/api/registrations/" + wallet.clientID
    for fields: [(name: String, value: String)] in [
      [("cookie", cookie)], [("cookie", cookie), ("x-csrf-token", "0")],
    ] {
      let response = try browser.client.send("DELETE", path, fields: fields)
      #expect(response.status == 403)
      #expect(response.errorName == "csrf")
    }
    for more in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
      let response = try browser.send("DELETE", "registrations/" + wallet.clientID, more: [more])
      #expect(response.status == 403)
      #expect(response.errorName == "origin")
      let login = try browser.client.send(
        "POST", "/admin/api/login", fields: [("content-type", "application/json"), more],
        body: Array("{}".utf8))
      #expect(login.status == 403)
    }
    #expect(try browser.get("registrations/" + wallet.clientID).status == 200)
    // The page of this very server may.
    let own = ("origin", "http://127.0.0.1:\(appliance.port)")
    #expect(try browser.send("DELETE", "registrations/" + wallet.clientID, more: [own]).status == 200)
  }

  @Test func aReloadKeepsSessionsUnlessThePasswordChanges() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    try appliance.configure { $0.replacing("[push]", with: "[push]\ndeadline_ms = 20000") }
    #expect(try browser.send("POST", "reload").status == 200)
    #expect(try browser.get("overview").status == 200)
    let other = "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8"
    try appliance.configure {
      $0.replacing(
        "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
        with: other)
    }
    _ = try browser.send("POST", "reload")
    #expect(try browser.get("overview").status == 401)
    #expect(try browser.logIn().status == 401)
  }

  @Test func thePageMayHaveAnAddressOfItsOwn() throws {
    let appliance = try Appliance.withAdmin(more: "listen = \"127.0.0.1:0\"")
    let port = try #require(appliance.adminPort)
    #expect(port != appliance.port)
    // Not here ...
    let outside = AdminBrowser(appliance)
    #expect(try outside.get("session").json?["enabled"]?.boolValue == false)
    #expect(try outside.get("session").json?["how_to_enable"]?.stringValue?.contains("admin.listen") == true)
    #expect(try outside.logIn().status == 404)
    // ... but there, and nothing else.
    let client = BlockingHTTPClient(port: port)
    let login = try client.send(
      "POST", "/admin/api/login", fields: [("content-type", "application/json")],
      body: Array("{\"password\":\"\(AdminBrowser.password)\"}".utf8))
    #expect(login.status == 200)
    #expect(try client.send("GET", "/").status == 200)
    let wallet = try MockWallet()
    for (method, path) in [
      ("POST", "/clients"), ("POST", "/clients/" + wallet.clientID), ("GET", "/metrics"),
    ] {
      let refusal = try client.send(method, path, fields: [("x-request-id", "own-1")])
      #expect(refusal.status == 404, "\(path)")
      #expect(refusal.field("x-request-id") == "own-1", "\(path)")
      #expect(refusal.field("access-control-allow-origin") == nil, "\(path)")
    }
    #expect(appliance.log.contains("request=own-1"))
  }

  @Test func theHashCommandMakesWhatTheLoginTakes() throws {
    let appliance = try Appliance.withAdmin()
    let process = try ChildProcess(
      "/bin/sh",
      [
        "-c", "printf 'another secret word\\n' | '\(ChildProcess.products)/pushbox' hash-password",
      ])
    _ = process.waitForOutput("\u{0}")
    #expect(process.wait() == 0, "\(process.text)")
    let hash = process.text.split(separator: "\n").last.map(String.init) ?? ""
    #expect(hash.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
    try appliance.configure { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.hasPrefix("password_hash") ? "password_hash = \"\(hash)\"" : String(line)
      }.joined(separator: "\n")
    }
    #expect(try AdminBrowser(signedInAt: appliance).send("POST", "reload").status == 200)
    #expect(try AdminBrowser(appliance).logIn("another secret word").status == 200)
  }
}
