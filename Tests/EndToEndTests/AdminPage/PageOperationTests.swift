import MockGateway
import Testing

extension AdminPageTests {
  /// The live tail and the configuration.
  @Suite struct Operation {
    @Test func theLiveTailShowsPushesAndTheirStories() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let token = Appliance.apnsToken()
      let wallet = try stage.appliance.registered(token: token)
      try stage.signIn("#/deliveries")
      try browser.waitFor(".empty")
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
      try browser.waitFor(".tail li")
      try browser.click(".tail .row")
      try browser.waitFor(".row-story .waterfall")
      #expect(try browser.text("document.querySelectorAll('.waterfall tbody tr').length >= 4") == "true")
      #expect(try browser.text("document.querySelector('.row-story').textContent").contains(wallet.clientID))
      try browser.screenshot("deliveries")
      // Paused, it holds what comes; then shows it.
      try browser.click("button[aria-pressed]")
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
      try browser.wait("document.querySelector('button[aria-pressed]').textContent.includes('1 new')")
      #expect(try browser.text("document.querySelectorAll('.tail > li').length") == "1")
      try browser.click("button[aria-pressed]")
      try browser.wait("document.querySelectorAll('.tail > li').length === 2")
      // Filtered, only troubles.
      try browser.evaluate(
        "const select = document.querySelector('select[name=outcome]'); select.value = 'problems'; select.dispatchEvent(new Event('change'))"
      )
      try browser.wait(
        "document.querySelectorAll('.tail > li').length === 0 && document.querySelector('.empty')")
      stage.appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
      _ = try stage.appliance.push(wallet.clientID, Appliance.raw("3"))
      try browser.wait("document.querySelector('.tail .state.suspect')")
      try stage.expectClean(tokens: [token])
    }

    @Test func aGatewayThatRefusesUsIsTheHeadlineWithWhatToDo() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let wallet = try stage.appliance.registered()
      stage.appliance.gateway.revokeAPNsKey(id: stage.appliance.gateway.credentials.apnsKeyID)
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("1")).status == 424)
      try stage.signIn()
      try browser.waitFor(".verdict > .glyph.rejected")
      let verdict = try browser.text("document.querySelector('.verdict').textContent")
      #expect(verdict.contains("APNs refuses our credentials"), "\(verdict)")
      let row = try browser.text("document.querySelector('.gateways tr:has(.glyph.rejected)').textContent")
      #expect(row.contains("InvalidProviderToken") && row.contains("check that key ID and team ID"), "\(row)")
      try browser.screenshot("gateway-rejected")
      // The way out: a new key, a reload, a push.
      try stage.appliance.rotate(to: "ROTATED001")
      try stage.go("#/configuration", until: ".head button.primary")
      try browser.click(".head button.primary")
      try browser.waitFor(".notice .glyph.ok")
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
      try stage.go("#/", until: ".gateways")
      #expect(try browser.text("document.querySelector('.gateways .glyph.rejected')") == "null")
      try stage.expectClean()
    }

    @Test func aReloadOfABrokenFileShowsItsProblemAndChangesNothing() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.signIn("#/configuration")
      try browser.waitFor(".values")
      try stage.appliance.configure { $0.replacing("[push]\n", with: "[push]\ndedline_ms = 5\n") }
      try browser.click(".head button.primary")
      try browser.waitFor(".problems")
      let problem = try browser.text("document.querySelector('.problems').textContent")
      #expect(problem.contains("dedline_ms") && problem.contains("config.toml"), "\(problem)")
      try browser.screenshot("reload-broken")
      try stage.appliance.configure { $0 }
      try browser.click(".head button.primary")
      try browser.wait("document.querySelector('.notice') && !document.querySelector('.problems')")
      try stage.go("#/log", until: ".list tbody tr")
      #expect(
        try browser.text("document.querySelector('.list').textContent").contains("Reloaded the configuration")
      )
      try stage.expectClean(statuses: [422])
      let shown = try browser.text("document.documentElement.outerHTML")
      #expect(!shown.contains("scrypt$"))
    }
  }
}
