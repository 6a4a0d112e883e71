import Bytes
import Crypto
import Glibc
import MockRelay
import TestSupport
import Testing

extension AdminPageTests {
  /// The search of registrations, among as many as a middling wallet has.
  @Suite struct Search {
    private static let count = 100_000

    @Test func aHundredThousandRegistrationsAreSearchedAndPagedThrough() throws {
      let stage = try AdminStage()
      let browser = stage.browser
      let sought = try Self.importMany(into: stage.appliance)
      try stage.signIn("#/registrations")
      try browser.waitFor(".list tbody tr")
      #expect(try browser.text("document.querySelectorAll('.list tbody tr').length") == "50")
      try browser.screenshot("registrations")

      // By the beginning of a client ID, which stands in the address.
      let prefix = String(sought.clientID.prefix(12))
      try browser.type(prefix, into: "input[name=q]")
      try browser.press(.enter)
      try browser.wait(
        "location.hash.includes('\(prefix)') && document.querySelectorAll('.list tbody tr').length === 1")
      #expect(try browser.text("document.querySelector('.list .id').title") == sought.clientID)

      // By the whole device token, which stands nowhere.
      try browser.evaluate("document.querySelector('input[name=q]').value = ''")
      try browser.type(sought.token, into: "input[name=q]")
      try browser.press(.enter)
      try browser.wait("document.querySelector('[role=status].aside').textContent.includes('holds this')")
      #expect(try browser.text("document.querySelector('.list .id').title") == sought.clientID)
      try browser.screenshot("search-token")
      try stage.expectClean(tokens: [sought.token])

      // Pasted, it does not even stand in the field.
      try stage.go("#/registrations?state=active", until: ".paging")
      try browser.evaluate(
        """
        const data = new DataTransfer();
        data.setData("text/plain", arguments[0]);
        const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
        document.querySelector("input[name=q]").dispatchEvent(paste);
        if (!paste.defaultPrevented) throw new Error("the token got into the field");
        """, sought.token)
      try browser.wait("document.querySelector('[role=status].aside').textContent.includes('holds this')")

      // Page after page; the back button goes back.
      try stage.go("#/registrations?type=fcm", until: ".paging .button")
      let first = try browser.text("document.querySelector('.list .id').title")
      try browser.click(".paging .button")
      try browser.wait(
        "location.hash.includes('after=') && document.querySelector('.list .id').title > '\(first)'")
      try browser.evaluate("history.back()")
      try browser.wait("document.querySelector('.list .id').title === '\(first)'")
      let gateways = try browser.text(
        "[...document.querySelectorAll('.list td:nth-child(2)')].filter((each) => each.textContent !== 'FCM').length"
      )
      #expect(gateways == "0")

      // A filter that nothing passes looks on until the end.
      try stage.go("#/registrations?state=tombstoned", until: ".results .empty")
      try stage.expectClean(tokens: [sought.token])
    }

    /// Imports made-up wallets beside the running server; one of them, with its device token.
    private static func importMany(into appliance: Appliance) throws -> (clientID: String, token: String) {
      var text = ""
      text.reserveCapacity(count * 200)
      var middle = (clientID: "", token: "")
      for index in 0..<count {
        // A multicodec for Ed25519 public keys, and any 32 bytes.
        let clientID = "z" + Base58.encode([0xED, 0x01] + (try Random.bytes(32)))
        let token = Hex.encode(try Random.bytes(32))
        if index == count / 2 { middle = (clientID, token) }
        text +=
          #"{"client_id":"\#(clientID)","type":"\#(index % 3 == 0 ? "fcm" : "apns")","token":"\#(token)"}"#
          + "\n"
      }
      try appliance.folder.write("many.jsonl", text)
      let imported = try appliance.command("import", appliance.folder.path + "/many.jsonl")
      guard imported.status == 0 else { throw TestSupportError("import: \(imported.text.suffix(800))") }
      return middle
    }
  }
}
