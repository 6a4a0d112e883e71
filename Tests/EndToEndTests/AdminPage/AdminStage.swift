import Bytes
import Glibc
import JSON
import MockGateway
import TestSupport
import Testing

/// An appliance with an admin page, and a browser that looks at it.
final class AdminStage {
  let appliance: Appliance
  let browser: Browser
  private func origin(_ port: UInt16?) -> String { "http://127.0.0.1:\(port ?? appliance.port)" }

  /// - Parameter more: further lines of `[admin]`.
  init(more: String = "", _ configure: (inout MockConfiguration) throws -> Void = { _ in }) throws {
    appliance = try Appliance.withAdmin(more: more, configure)
    browser = try Browser()
    // Violations of the Content-Security-Policy, from the first moment of each document.
    try browser.devTools("Page.addScriptToEvaluateOnNewDocument") {
      $0.member(
        "source",
        """
        window.violations = [];
        addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.blockedURI));
        """)
    }
  }

  /// Opens the page, at a route such as `#/registrations`, and at another port than the server's own.
  func open(_ route: String = "", at port: UInt16? = nil) throws {
    try browser.open("\(origin(port))/\(route)")
  }

  /// Opens the page and signs in; shows the overview, or the route.
  func signIn(_ route: String = "", at port: UInt16? = nil) throws {
    try open(route, at: port)
    try browser.type(AdminBrowser.password, into: "#password")
    try browser.click("button[type=submit]")
    try browser.waitFor(".frame")
    if route.isEmpty { try browser.waitFor(".overview") }
  }

  /// Signs in at a new registration and deletes it; the page then offers to undo that.
  func deleteRegistration() throws {
    let wallet = try appliance.registered()
    try signIn("#/registrations/\(wallet.clientID)")
    try browser.click("button.danger")
    try browser.click("dialog button.danger")
    try browser.waitFor(".notice button")
  }

  /// At the login that an undo led to.
  func signInAgainAndUndo() throws {
    try browser.type(AdminBrowser.password, into: "#password")
    try browser.press(.enter)
    try browser.waitFor(".frame")
    try browser.click(".notice button")
  }

  /// Goes to a route by its address, as a link would.
  func go(_ route: String, until selector: String) throws {
    try browser.evaluate("location.hash = arguments[0]", route)
    try browser.waitFor(selector)
  }

  /// Ends the server and starts it anew at the same port.
  func restart() throws {
    let port = appliance.port
    guard appliance.end(SIGTERM) == 0 else { throw TestSupportError("pushbox did not end well") }
    try appliance.configure {
      $0.replacing("listen = \"127.0.0.1:0\"", with: "listen = \"127.0.0.1:\(port)\"")
    }
    try appliance.restart()
  }

  /// Nothing in the console, no violation of the policy, no request to anywhere else; device tokens in no
  /// address.
  ///
  /// - Parameters:
  ///   - statuses: answers that the test has caused, which the console reports as errors.
  ///   - tokens: device tokens that must not be in any address, nor in the page.
  ///   - port: where the page is, when not at the server's own port.
  func expectClean(
    statuses: [Int] = [], tokens: [String] = [], at port: UInt16? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for entry in try browser.log("browser") {
      let message = entry["message"]?.stringValue ?? "\(entry)"
      let isExpected = statuses.contains { message.contains("the server responded with a status of \($0)") }
      #expect(isExpected, "console: \(message)", sourceLocation: sourceLocation)
    }
    let violations = try browser.text("window.violations.join()")
    #expect(violations.isEmpty, sourceLocation: sourceLocation)
    let addresses = try requestedAddresses()
    #expect(!addresses.isEmpty, sourceLocation: sourceLocation)
    for address in addresses {
      let isOurs = address.hasPrefix(origin(port) + "/") || address.hasPrefix("data:")
      #expect(isOurs, "asked \(address)", sourceLocation: sourceLocation)
      #expect(!tokens.contains { address.contains($0) }, "\(address)", sourceLocation: sourceLocation)
    }
    let page = try browser.text(
      "document.documentElement.outerHTML + location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"
        + " + [...document.querySelectorAll('input')].map((each) => each.value)")
    for token in tokens { #expect(!page.contains(token), sourceLocation: sourceLocation) }
  }

  /// The address of every request since the last call, the browser's own pages apart.
  private func requestedAddresses() throws -> [String] {
    try browser.log("performance").compactMap { entry in
      guard let text = entry["message"]?.stringValue,
        let event = try? JSON.parse(Array(text.utf8))["message"],
        event["method"]?.stringValue == "Network.requestWillBeSent"
      else { return nil }
      let address = event["params"]?["request"]?["url"]?.stringValue ?? ""
      return address.hasPrefix("chrome://") || address.hasPrefix("about:") ? nil : address
    }
  }
}
