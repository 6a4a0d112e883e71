import MockGateway
import MockRelay
import Testing

extension AdminPageTests {
  /// One registration: deleting, reviving, test pushes, and why it gets none.
  @Suite struct Registrations {
    @Test func deletingAsksFirstAndCanBeUndone() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let token = Appliance.apnsToken()
      let wallet = try stage.appliance.registered(token: token)
      try stage.signIn("#/registrations/\(wallet.clientID)")
      try browser.click("button.danger")
      try browser.waitFor("dialog[open]")
      try browser.screenshot("delete")
      try browser.press(.escape)
      try browser.wait("!document.querySelector('dialog')")
      try browser.click("button.danger")
      try browser.click("dialog button.danger")
      try browser.waitFor(".notice button")
      try browser.screenshot("undo")
      #expect(try stage.appliance.registrations() == 0)
      try browser.click(".notice button")
      try browser.wait("document.querySelector('.notice').textContent.includes('again')")
      #expect(try stage.appliance.registrations() == 1)
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
      #expect(stage.appliance.gateway.deliveries.last?.deviceToken == token)
      try stage.expectClean(tokens: [token])
    }

    @Test func theKeyboardAloneSignsInDeletesAndUndoes() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      _ = try stage.appliance.registered()
      try stage.open()
      try browser.wait("document.activeElement.id === 'password'")
      try browser.type(AdminBrowser.password)
      try browser.press(.enter)
      try browser.waitFor(".overview")
      try browser.tab(to: "[data-place=registrations]")
      try browser.press(.enter)
      try browser.waitFor(".list .id")
      try browser.tab(to: ".list .id")
      try browser.press(.enter)
      try browser.waitFor("button.danger")
      try browser.tab(to: "main button.danger")
      try browser.press(.enter)
      try browser.wait("document.querySelector('dialog').contains(document.activeElement)")
      #expect(try browser.text("document.activeElement.textContent") == "Cancel")
      try browser.press(.tab)
      try browser.screenshot("keyboard")
      try browser.press(.enter)
      try browser.wait("document.activeElement.textContent === 'Undo'")
      #expect(try stage.appliance.registrations() == 0)
      try browser.press(.enter)
      try browser.wait("document.querySelector('h1.id')")
      #expect(try stage.appliance.registrations() == 1)
      try stage.expectClean()
    }

    @Test func aTestPushShowsEachStepAndArrives() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let token = Appliance.apnsToken()
      let wallet = try stage.appliance.registered(token: token)
      try stage.signIn("#/registrations/\(wallet.clientID)")
      try browser.click(".test-push button")
      try browser.wait("document.querySelector('.test-result .state.ok')")
      #expect(try browser.text("document.querySelectorAll('.track li:not(.pending)').length") == "4")
      #expect(stage.appliance.gateway.deliveries.map(\.deviceToken) == [token])
      try browser.screenshot("test-push")
      stage.appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
      try browser.click(".test-push button")
      try browser.wait("document.querySelector('.test-result .state.rejected')")
      #expect(try browser.text("document.querySelector('.test-push').textContent").contains("Unregistered"))
      try browser.screenshot("test-push-refused")
      try stage.expectClean(tokens: [token])
    }

    @Test func aGivenUpRegistrationIsExplainedAndRevived() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let wallet = try stage.appliance.registered()
      stage.appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
      _ = try stage.appliance.push(wallet.clientID, Appliance.raw("1"))
      try stage.signIn("#/why")
      try browser.type("did:key:\(wallet.clientID)", into: "input[name=id]")
      try browser.press(.enter)
      try browser.waitFor(".story .track")
      #expect(try browser.text("document.querySelector('.story').textContent").contains("Unregistered"))
      try browser.screenshot("why")
      try browser.click(".story .verdict a")
      try browser.waitFor("h1.id")
      try browser.screenshot("given-up")
      try browser.evaluate(
        "[...document.querySelectorAll('button')].find((each) => each.textContent === 'Revive').click()")
      try browser.wait("document.querySelector('.head .state.ok')")
      #expect(try stage.appliance.registrations() == 1)
      // The story is told of strangers too.
      let stranger = try MockWallet().clientID
      try stage.go("#/why/\(stranger)", until: ".story .verdict.level-error")
      try stage.expectClean()
    }
  }
}
