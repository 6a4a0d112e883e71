import Bytes
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The admin page in a real browser: what an operator sees and does.
@Suite(
  .ownThread, .serialized, .timeLimit(.minutes(5)),
  .enabled(
    if: ChromeDriver.isInstalled, "needs Debian's packages chromium and chromium-driver: see make test"))
struct AdminPageTests {
  // MARK: The session

  @Test func aWrongPasswordIsRefusedAndARightOneOpens() throws {
    let stage = try AdminStage()
    let browser = stage.browser
    try stage.open()
    try browser.type("wrong", into: "#password")
    try browser.screenshot("login")
    try browser.click("button[type=submit]")
    try browser.wait("document.querySelector('[role=alert]').textContent.includes('not the password')")
    #expect(try browser.text("document.querySelector('.frame')") == "null")
    try browser.type(AdminStage.password, into: "#password")
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
    try stage.open("#/registrations")
    try browser.waitFor("#password")
    #expect(try browser.text("document.querySelector('.list')") == "null")
    try stage.expectClean()
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
    try browser.type(AdminStage.password, into: "#password")
    try browser.click("button[type=submit]")
    try browser.waitFor(".figures dd")
    let requests = try browser.text(
      "performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname).join(' ')")
    #expect(requests == "/admin/api/login /admin/api/overview")
  }

  // MARK: Registrations

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
    try browser.type(AdminStage.password)
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

  // MARK: Operation

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
      try browser.text("document.querySelector('.list').textContent").contains("Reloaded the configuration"))
    try stage.expectClean(statuses: [422])
    let shown = try browser.text("document.documentElement.outerHTML")
    #expect(!shown.contains("scrypt$"))
  }
}
