import Bytes
import JSON
import TestSupport

/// A headless Chromium with one page: what a person does there, and what can be read of it.
///
/// Nothing here sleeps: `wait` polls a condition within the page until it holds or a deadline passes.
final class Browser {
  private let driver: ChromeDriver
  private let session: String

  /// What the keyboard may press besides characters (W3C WebDriver, section "Keyboard actions").
  enum Key: String {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case escape = "\u{E00C}"
    case left = "\u{E012}"
    case space = " "
  }

  init() throws {
    driver = try ChromeDriver()
    let value = try driver.command("POST", "/session") { ChromeDriver.writeCapabilities(to: &$0) }
    guard let id = value["sessionId"]?.stringValue else { throw TestSupportError("no session: \(value)") }
    session = "/session/\(id)"
    _ = try driver.command("POST", session + "/timeouts") { $0.member("script", 120_000) }
  }

  deinit {
    // Ends Chromium; the driver goes with its process.
    _ = try? driver.command("DELETE", session)
  }

  /// Opens an address.
  func open(_ url: String) throws {
    _ = try driver.command("POST", session + "/url") { $0.member("url", url) }
  }

  /// Runs a function's body in the page and gives what it returns.
  @discardableResult
  func evaluate(_ body: String, _ arguments: String...) throws -> JSONValue {
    try driver.command("POST", session + "/execute/sync") { writer in
      writer.member("script", body)
      Self.write(arguments, to: &writer)
    }
  }

  /// What an expression in the page gives, as text.
  func text(_ expression: String) throws -> String {
    try evaluate("return String(\(expression))").stringValue ?? ""
  }

  /// Waits until an expression in the page is true.
  func wait(_ condition: String, seconds: Int = 30) throws {
    let body = """
      const done = arguments[arguments.length - 1];
      const end = performance.now() + \(seconds * 1000);
      const look = () => {
        let holds = false;
        try { holds = Boolean(\(condition)); } catch { /* Not there yet. */ }
        if (holds || performance.now() > end) done(holds);
        else setTimeout(look, 20);
      };
      look();
      """
    let holds = try driver.command("POST", session + "/execute/async") { writer in
      writer.member("script", body)
      Self.write([], to: &writer)
    }
    guard holds.boolValue != true else { return }
    let page = try text("location.href + '\\n' + document.body.innerText.slice(0, 1500)")
    throw TestSupportError("not within \(seconds) s: \(condition)\n\(page)")
  }

  /// Waits for an element, by its CSS selector.
  func waitFor(_ selector: String) throws {
    try wait("document.querySelector(\(Self.quoted(selector)))")
  }

  /// Clicks where a person would; fails when something covers the element.
  func click(_ selector: String) throws {
    try waitFor(selector)
    _ = try driver.command("POST", "\(session)/element/\(try element(selector))/click")
  }

  /// Types into a field.
  func type(_ text: String, into selector: String) throws {
    try waitFor(selector)
    _ = try driver.command("POST", "\(session)/element/\(try element(selector))/value") {
      $0.member("text", text)
    }
  }

  /// Presses keys where the focus is.
  func press(_ keys: Key...) throws {
    for key in keys { try type(key.rawValue) }
  }

  /// Types where the focus is.
  func type(_ text: String) throws {
    let active = Self.reference(try driver.command("GET", session + "/element/active"))
    _ = try driver.command("POST", "\(session)/element/\(active)/value") { $0.member("text", text) }
  }

  /// Presses Tab until the focus is on what `selector` names, as often as `limit`.
  func tab(to selector: String, limit: Int = 40) throws {
    for _ in 0..<limit {
      try press(.tab)
      if try evaluate("return document.activeElement.matches(arguments[0])", selector).boolValue == true {
        return
      }
    }
    throw TestSupportError(
      "Tab does not lead to \(selector); the focus is at \(try text("document.activeElement.outerHTML"))")
  }

  /// A command of the DevTools protocol.
  @discardableResult
  func devTools(_ command: String, _ write: (inout JSONWriter) -> Void = { _ in }) throws -> JSONValue {
    try driver.command("POST", session + "/goog/cdp/execute") { writer in
      writer.member("cmd", command)
      writer.key("params")
      writer.beginObject()
      write(&writer)
      writer.endObject()
    }
  }

  /// What was logged since the last call: `browser` is the console, `performance` the DevTools events.
  func log(_ kind: String) throws -> [JSONValue] {
    try driver.command("POST", session + "/se/log") { $0.member("type", kind) }.arrayValue ?? []
  }

  private func element(_ selector: String) throws -> String {
    Self.reference(
      try driver.command("POST", session + "/element") { writer in
        writer.member("using", "css selector")
        writer.member("value", selector)
      })
  }

  private static func reference(_ value: JSONValue) -> String {
    value.objectValue?.members.first?.value.stringValue ?? ""
  }

  private static func write(_ arguments: [String], to writer: inout JSONWriter) {
    writer.key("args")
    writer.beginArray()
    for argument in arguments { writer.value(argument) }
    writer.endArray()
  }

  /// A text as a literal of JavaScript.
  static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.value(text)
    return writer.string
  }
}
