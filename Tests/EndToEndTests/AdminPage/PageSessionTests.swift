import MockGateway
import Testing

extension AdminPageTests {
  /// Signing in and out, and what comes before.
  @Suite struct Session {
    @Test func aWrongPasswordIsRefusedAndARightOneOpens() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.open()
      try browser.type("wrong", into: "#password")
      try browser.screenshot("login")
      try browser.click("button[type=submit]")
      try browser.wait("document.querySelector('[role=alert]').textContent.includes('not the password')")
      #expect(try browser.text("document.querySelector('.frame')") == "null")
      try browser.type(AdminBrowser.password, into: "#password")
      try browser.click("button[type=submit]")
      try browser.waitFor(".overview")
      #expect(try browser.text("document.cookie") == "", "no script may read the session")
      try stage.expectClean(statuses: [401])
    }

    @Test func signingOutForgetsTheSession() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.signIn()
      try browser.click(".frame nav > button")
      try browser.waitFor("#password")
      // Loads the page anew, and asks the server.
      try browser.open("about:blank")
      try stage.open("#/registrations")
      try browser.waitFor("#password, .list")
      #expect(try browser.text("document.querySelector('.list')") == "null")
      try stage.expectClean()
    }

    @Test func aSessionThatHasEndedAsksForThePasswordAndGoesOn() throws {
      let stage = try AdminStage(more: "session_ttl_s = 2")
      let browser = stage.browser
      try stage.signIn("#/log")
      try browser.wait(
        "fetch('admin/api/session').then((answer) => answer.json()).then((it) => { window.ended = !it.signed_in; })"
          + " && window.ended")
      try browser.evaluate("location.hash = '#/backup'")
      try browser.evaluate("location.hash = '#/log'")
      try browser.wait("document.querySelector('[role=alert]').textContent.includes('has ended')")
      try browser.type(AdminBrowser.password, into: "#password")
      try browser.press(.enter)
      try browser.waitFor(".list tbody tr")
      #expect(try browser.text("location.hash") == "#/log")
      try stage.expectClean(statuses: [401])
    }

    @Test func withoutAnAdminSectionThePageSaysHowToTurnItOn() throws {
      let appliance = try Appliance()
      let browser = try Browser()
      try browser.open("http://127.0.0.1:\(appliance.port)/")
      try browser.waitFor(".gate")
      try browser.screenshot("off")
      let text = try browser.text("document.body.innerText")
      #expect(text.contains("[admin]") && text.contains("pushbox hash-password"), "\(text)")
      #expect(!text.contains(MockConfiguration.publicURL))
    }

    /// Were a client ID or an answer of a gateway ever read as HTML.
    @Test func whatIsInjectedNeitherRunsNorAsksAnybody() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.signIn()
      try browser.evaluate(
        """
        const script = document.createElement("script");
        script.textContent = "window.injected = true";
        document.head.append(script);
        const holder = document.createElement("div");
        holder.innerHTML = "<img src='http://127.0.0.2/x.png' onerror='window.injected = true'>"
          + "<p style='color: red'>styled</p><form action='http://127.0.0.2/'></form>";
        document.body.append(holder);
        fetch("http://127.0.0.2/").catch(() => {});
        holder.querySelector("form").submit();
        """)
      let wanted = ["script-src-elem", "style-src-attr", "img-src", "connect-src", "form-action"]
      for directive in wanted {
        try browser.wait("window.violations.some((each) => each.startsWith('\(directive)'))")
      }
      #expect(try browser.text("window.injected") == "undefined")
    }

    @Test func theFirstLoadIsSmallAndTheOverviewTakesOneRequest() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.open()
      try browser.waitFor("#password")
      let bytes = try browser.evaluate(
        """
        const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        performance.clearResourceTimings();
        return entries.reduce((sum, entry) => sum + entry.transferSize, 0);
        """
      ).doubleValue
      let size = try #require(bytes)
      #expect(size > 10_000 && size < 100 * 1024, "\(size) bytes")
      try browser.type(AdminBrowser.password, into: "#password")
      try browser.click("button[type=submit]")
      try browser.waitFor(".figures dd")
      let requests = try browser.text(
        "performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname).join(' ')")
      #expect(requests == "/admin/api/login /admin/api/overview")
    }
  }
}
