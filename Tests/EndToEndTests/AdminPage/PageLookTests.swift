import MockGateway
import MockRelay
import TestSupport
import Testing

extension AdminPageTests {
  /// How the page looks: on a phone, in the dark, to a screen reader. Leaves pictures of every view.
  @Suite struct Look {
    /// Routes with what shows that they stand; `ID` is a client's.
    private static let views: [(name: String, route: String, selector: String)] = [
      ("overview", "#/", ".overview .figures dd"), ("registrations", "#/registrations", ".list tbody tr"),
      ("registration", "#/registrations/ID", "h1.id"), ("why", "#/why/ID", ".story .track"),
      ("deliveries", "#/deliveries", ".tail li"), ("configuration", "#/configuration", ".values"),
      ("backup", "#/backup", "a[download]"), ("log", "#/log", ".list tbody tr"),
    ]

    @Test(arguments: Screen.all) func everyViewFitsItsScreenAndNamesItsControls(_ screen: Screen) throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let clientID = try Self.play(stage.appliance)
      try browser.show(on: screen)
      try stage.signIn()
      for view in Self.views {
        try stage.go(view.route.replacing("ID", with: clientID), until: view.selector)
        try browser.wait("!document.querySelector('.waiting')")
        #expect(try browser.text(Screen.width) == "\(screen.width)", "\(view.name) scrolls sideways")
        let headings = try browser.text("document.querySelectorAll('h1').length + ' ' + document.title")
        #expect(headings.hasPrefix("1 ") && headings.hasSuffix(" – pushbox"), "\(view.name): \(headings)")
        #expect(try browser.namelessElements() == [], "\(view.name)")
        try browser.screenshot("\(screen.name)-\(view.name)")
      }
      let lightness = try browser.text(
        "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)"
      )
      #expect(screen.isDark == ((Int(lightness) ?? 0) < 200), "\(lightness)")
      let moving = try browser.text("document.getAnimations().length")
      #expect(moving == "0")
      try stage.expectClean()
    }

    @Test func theMenuOfAPhoneOpensAndLeads() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try browser.resize(width: 360, height: 740, isPhone: true)
      try stage.signIn()
      #expect(try browser.text("getComputedStyle(document.querySelector('#places')).display") == "none")
      try browser.click(".menu")
      try browser.click("[data-place=backup]")
      try browser.waitFor("a[download]")
      #expect(try browser.text("document.querySelector('.menu').getAttribute('aria-expanded')") == "false")
      try stage.expectClean()
    }

    @Test func theChartIsReadWithTheArrowKeysAndAsATable() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      _ = try Self.play(stage.appliance)
      try stage.signIn()
      try browser.wait("document.querySelector('.plot').getAttribute('aria-valuetext').includes('Delivered')")
      try browser.evaluate("document.querySelector('.plot').focus()")
      try browser.press(.left)
      try browser.waitFor(".plot .cursor")
      #expect(
        try browser.text("document.querySelector('.plot').getAttribute('aria-valuetext')").contains(
          "Delivered "))
      try browser.click(".as-table summary")
      try browser.waitFor(".as-table tbody tr td")
      // A longer look back is asked for by itself.
      try browser.click(".segments label:nth-of-type(2)")
      try browser.wait("document.querySelector('.chart-head .aside').textContent.includes('15 minutes')")
      try browser.click(".segments label:last-of-type")
      try browser.wait("document.querySelector('.chart-head .aside').textContent.includes('4 hours')")
      try stage.expectClean()
    }

    /// Some history: pushes that arrive, and one each that fails in another way; a client that has seen most.
    private static func play(_ appliance: Appliance) throws -> String {
      let wallet = try appliance.registered()
      let phone = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
      for index in 0..<6 {
        _ = try appliance.push(wallet.clientID, Appliance.raw("\(index)"))
        _ = try appliance.push(phone.clientID, Appliance.raw("\(index)"))
      }
      _ = try appliance.push(wallet.clientID, Appliance.raw("0"))
      _ = try appliance.push(try MockWallet().clientID, Appliance.raw("1"))
      _ = try appliance.register("nobody", token: "")
      let gone = try appliance.registered()
      appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
      _ = try appliance.push(gone.clientID, Appliance.raw("1"))
      return wallet.clientID
    }
  }
}
