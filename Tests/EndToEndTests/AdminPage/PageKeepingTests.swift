import EventLoop
import Glibc
import TestSupport
import Testing

extension AdminPageTests {
  /// What outlasts the page: a backup on the operator's disk, an undo, an address of the page's own.
  @Suite struct Keeping {
    @Test func theBackupThatIsDownloadedCanBeRestored() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let token = Appliance.apnsToken()
      let wallet = try stage.appliance.registered(token: token)
      for _ in 0..<6 { _ = try stage.appliance.registered() }
      let downloads = try TemporaryFolder()
      try browser.devTools("Browser.setDownloadBehavior") {
        $0.member("behavior", "allow")
        $0.member("downloadPath", downloads.path)
      }
      try stage.signIn("#/backup")
      try browser.click("a[download]")
      // Until it is whole, the browser gives it another name.
      #expect(try waitUntil { downloads.names.contains { $0.hasSuffix(".mdb") } }, "\(downloads.names)")
      let name = try #require(downloads.names.first { $0.hasSuffix(".mdb") })
      #expect(name.hasPrefix("pushbox-20"), "\(name)")
      try stage.expectClean(tokens: [token])

      // What comes after the backup is gone after the restore.
      _ = try stage.appliance.registered()
      #expect(try stage.appliance.registrations() == 8)
      #expect(stage.appliance.end(SIGTERM) == 0)
      let restored = try stage.appliance.command("restore", "--force", downloads.path + "/" + name)
      #expect(restored.status == 0 && restored.text.contains("7 registrations"), "\(restored.text)")
      try stage.appliance.restart()
      #expect(try stage.appliance.registrations() == 7)
      #expect(try stage.appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
      #expect(stage.appliance.gateway.deliveries.last?.deviceToken == token)
    }

    @Test func anUndoAfterARestartSaysThatItIsTooLate() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.deleteRegistration()
      try stage.restart()
      // The session is gone as well: first the password, and the undo waits.
      try browser.click(".notice button")
      try browser.waitFor("#password")
      try browser.wait("document.querySelector('.notice').textContent.includes('sign in, then undo')")
      try browser.screenshot("undo-signed-out")
      try stage.signInAgainAndUndo()
      try browser.wait("document.querySelector('.notice').textContent.includes('cannot be undone any more')")
      try browser.screenshot("undo-too-late")
      let notice = try browser.text("document.querySelector('.notice').textContent")
      #expect(notice.contains("restarted") && notice.contains("register anew"), "\(notice)")
      #expect(try browser.text("document.querySelector('.notice button:not(.quiet)')") == "null")
      #expect(try stage.appliance.registrations() == 0)
    }

    @Test func anUndoGoesOnAfterTheSessionHasEnded() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      try stage.deleteRegistration()
      // As its time would end it: the page does not know.
      try browser.evaluate(
        """
        return fetch("admin/api/session").then((answer) => answer.json()).then((session) =>
          fetch("admin/api/logout", { method: "POST", headers: { "x-csrf-token": session.csrf_token } }));
        """)
      try browser.click(".notice button")
      try browser.wait("document.querySelector('.notice').textContent.includes('sign in, then undo')")
      try stage.signInAgainAndUndo()
      try browser.wait("document.querySelector('.notice').textContent.includes('again')")
      #expect(try stage.appliance.registrations() == 1)
      try stage.expectClean(statuses: [401])
    }

    @Test func thePageIsAtItsOwnAddressAlone() throws {
      let stage = try AdminStage(more: "listen = \"127.0.0.1:0\"")
      let browser = stage.browser
      let port = try #require(stage.appliance.adminPort)
      try stage.open()
      try browser.waitFor(".gate h1")
      try browser.screenshot("elsewhere")
      let text = try browser.text("document.body.innerText")
      #expect(text.contains("admin.listen"), "\(text)")
      #expect(try browser.text("document.querySelector('input, .frame')") == "null")
      try stage.expectClean(statuses: [404])
      try stage.signIn(at: port)
      #expect(try browser.text("location.port") == "\(port)")
      try stage.expectClean(at: port)
    }
  }
}
