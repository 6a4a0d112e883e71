import Crypto
import EventLoop
import MockGateway
import TestSupport
import Testing

extension AdminPageTests {
  /// How the page looks when something is the matter, on every screen.
  @Suite struct Trouble {
    @Test(arguments: Screen.all) func whatIsWrongIsToldAndFits(_ screen: Screen) throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let clientID = try Self.makeSuspect(stage.appliance)
      try browser.show(on: screen)

      // Three wrong passwords, and a wait. On a slow machine the first wait is over before the next try.
      try stage.open()
      try browser.type("guess", into: "#password")
      var answers: [String] = []
      while answers.count < 10, answers.last?.hasPrefix("Too many") != true {
        try browser.evaluate("document.querySelector('[role=alert]').textContent = ''")
        try browser.press(.enter)
        try browser.wait("document.querySelector('[role=alert]').textContent !== ''")
        answers.append(try browser.text("document.querySelector('[role=alert]').textContent"))
      }
      #expect(answers.count > 3 && answers.prefix(3).allSatisfy { $0 == "That is not the password." })
      #expect(answers.last?.hasPrefix("Too many wrong passwords. Try again in ") == true, "\(answers)")
      try look("locked-out", screen, browser)
      try browser.wait("document.querySelector('[role=alert]').textContent.includes('try again now')")
      try browser.evaluate("document.querySelector('#password').value = ''")
      try browser.type(AdminBrowser.password, into: "#password")
      try browser.press(.enter)
      try browser.waitFor(".overview")

      // A gateway that refuses nearly every token, with what to do, and refused registrations by reason.
      try browser.waitFor(".verdict > .glyph.suspect")
      let row = try browser.text("document.querySelector('.gateways tr:has(.glyph.suspect)').textContent")
      #expect(row.contains("BadDeviceToken") && row.contains("the environment is probably wrong"), "\(row)")
      let page = try browser.text("document.querySelector('.overview').textContent")
      for words in ["Device token wrong", "Type of token unknown", "Version", "Keys and certificates"] {
        #expect(page.contains(words), "\(words)")
      }
      try look("suspect", screen, browser)

      // A push that failed, opened.
      try stage.go("#/deliveries", until: ".tail .row")
      try browser.click(".tail li:first-child .row")
      try browser.waitFor(".row-story .waterfall")
      let story = try browser.text("document.querySelector('.row-story').textContent")
      for words in [
        "GatewayAPNs", "SaidBadDeviceToken", "The relay got424", "Gateway's answer, passed to the relay",
      ] {
        #expect(story.contains(words), "\(words): \(story)")
      }
      try look("delivery-open", screen, browser)

      // A reload that changed nothing stays told, also after the view was left.
      try stage.appliance.configure { $0.replacing("[push]\n", with: "[push]\ndedline_ms = 5\n") }
      try stage.go("#/configuration", until: ".head button.primary")
      try browser.click(".head button.primary")
      try browser.waitFor(".problems")
      try stage.go("#/", until: ".overview .concerns")
      #expect(
        try browser.text("document.querySelector('.verdict').textContent").contains(
          "The last reload changed nothing"))
      try stage.go("#/configuration", until: ".problems")
      #expect(
        try browser.text("document.querySelector('.facts').textContent").contains("cannot be loaded as it is")
      )
      try look("reload-failed", screen, browser)

      try stage.go("#/why/\(clientID)", until: ".story .verdict")
      try look("why-suspect", screen, browser)
      try stage.go("#/log", until: ".list tbody tr")
      let log = try browser.text("document.querySelector('.list').textContent")
      #expect(log.contains("Wrong password") && log.contains("Reloaded the configuration: failed"), "\(log)")
      try look("log-trouble", screen, browser)
      try stage.expectClean(statuses: [401, 429, 422])
    }

    /// The certificate of `[tls]` counts down beside the gateways' keys.
    @Test func aServerCertificateThatEndsSoonIsTheHeadline() throws {
      let now = Int(WallClock.seconds())
      let authority = try LoopbackCertificateAuthority(validity: (now - 60)..<(now + 86_400 * 90))
      let names = ["localhost", "push.example.com", "a.example.com", "b.example.com", "c.example.com"]
      let leaf = try authority.issue(names: names, validity: (now - 60)..<(now + 86_400 * 3 + 3600))
      let stage = try AdminStage(more: "listen = \"127.0.0.1:0\"\n" + TLSTests.section) { settings in
        try TemporaryFolder.write(leaf.certificatePEM, to: settings.folder + "/tls.pem")
        try TemporaryFolder.write(leaf.privateKeyPEM, to: settings.folder + "/tls.key")
      }
      let browser = stage.browser
      let port = try #require(stage.appliance.adminPort)
      try stage.signIn(at: port)
      let verdict = try browser.text("document.querySelector('.verdict h1').textContent")
      #expect(verdict == "Server certificate expires in 3 days")
      let item = try browser.text("document.querySelector('.credentials li').textContent")
      #expect(item.contains("3 days left, until "), "\(item)")
      #expect(
        item.contains("For localhost, push.example.com, a.example.com, b.example.com and 1 more, issued by"))
      try browser.screenshot("certificate")
      try stage.expectClean(at: port)
    }

    private func look(_ name: String, _ screen: Screen, _ browser: Browser) throws {
      #expect(try browser.text(Screen.width) == "\(screen.width)", "\(name) scrolls sideways")
      #expect(try browser.namelessElements() == [], "\(name)")
      try browser.screenshot("\(screen.name)-\(name)")
    }

    /// So many refused tokens that the gateway is suspected, and some refused registrations; a client's ID.
    private static func makeSuspect(_ appliance: Appliance) throws -> String {
      appliance.gateway.always(.apns(.badDeviceToken), at: .apnsProduction)
      let client = appliance.client()
      var last = ""
      for index in 0..<30 {
        last = try appliance.registered().clientID
        _ = try appliance.push(last, Appliance.raw("\(index)"), over: client)
      }
      _ = try appliance.register("nobody", token: "")
      _ = try appliance.register(last, type: "pager", token: Appliance.apnsToken())
      return last
    }
  }
}
