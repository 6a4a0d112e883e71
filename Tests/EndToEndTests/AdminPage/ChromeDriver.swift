import Bytes
import Glibc
import JSON
import MockRelay
import TestSupport

/// Debian's chromedriver in a process of its own, spoken to by the WebDriver protocol (W3C WebDriver 2): JSON
/// over HTTP on loopback. Not safe for several threads at a time.
final class ChromeDriver {
  private static let browser = "/usr/bin/chromium"
  private static let program = "/usr/bin/chromedriver"

  /// Whether a browser test can run here; `make test` sees to it.
  static let isInstalled = access(browser, X_OK) == 0 && access(program, X_OK) == 0

  private let process: ChildProcess
  private let client: BlockingHTTPClient
  /// The browser's profile and crash reports, gone with this.
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=\(folder.path)", "TMPDIR=\(folder.path)"]
    var output = ""
    // With port 0 it takes a free port of IPv6 and ends when another program has that port of IPv4.
    for _ in 0..<20 {
      let process = try ChildProcess(Self.program, ["--port=0"], environment: environment)
      if process.waitForOutput(Self.announcement), let port = Self.port(in: process.text) {
        self.process = process
        client = BlockingHTTPClient(port: port, timeoutSeconds: 120)
        return
      }
      output = process.text
    }
    throw TestSupportError("chromedriver did not start: \(output)")
  }

  private static let announcement = "started successfully on port "

  private static func port(in text: String) -> UInt16? {
    guard let start = text.firstRange(of: announcement)?.upperBound else { return nil }
    return UInt16(text[start...].prefix { $0.isNumber })
  }

  /// The capabilities of a new session: no window, all logs.
  static func writeCapabilities(to writer: inout JSONWriter) {
    writer.key("capabilities")
    writer.beginObject()
    writer.key("alwaysMatch")
    writer.beginObject()
    writer.key("goog:loggingPrefs")
    writer.beginObject()
    writer.member("browser", "ALL")
    writer.member("performance", "ALL")
    writer.endObject()
    writer.key("goog:chromeOptions")
    writer.beginObject()
    writer.member("binary", browser)
    writer.key("args")
    writer.beginArray()
    for argument in arguments { writer.value(argument) }
    writer.endArray()
    writer.endObject()
    writer.endObject()
    writer.endObject()
  }

  private static var arguments: [String] {
    let always = [
      "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--window-size=1280,900",
    ]
    // Chromium's sandbox refuses root; what it shows here is our own page.
    return geteuid() == 0 ? always + ["--no-sandbox"] : always
  }

  /// Sends a command and gives its value.
  func command(
    _ method: String, _ path: String, _ write: (inout JSONWriter) -> Void = { _ in }
  ) throws -> JSONValue {
    var writer = JSONWriter()
    if method == "POST" {
      writer.beginObject()
      write(&writer)
      writer.endObject()
    }
    let response = try client.send(
      method, path, fields: [("content-type", "application/json")], body: writer.bytes)
    let value = try JSON.parse(response.body)["value"] ?? .null
    guard response.status == 200 else {
      let error = value["error"]?.stringValue ?? "HTTP \(response.status)"
      throw TestSupportError("\(method) \(path): \(error): \(value["message"]?.stringValue ?? "")")
    }
    return value
  }
}
