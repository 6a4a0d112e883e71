import Bytes
import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport

/// An operator's browser, as far as the admin API sees it.
final class AdminBrowser {
  static let password = "correct horse battery"
  /// Of that password, cheap to check.
  static let section = """
    [admin]
    password_hash = "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8"
    """

  let client: BlockingHTTPClient
  private(set) var cookie: String?
  private(set) var csrfToken: String?

  /// - Parameter port: where the page is, when it has an address of its own.
  init(_ appliance: Appliance, port: UInt16? = nil) {
    client = Self.patientClient(port ?? appliance.port)
  }

  /// Signed in.
  init(signedInAt appliance: Appliance, port: UInt16? = nil) throws {
    client = Self.patientClient(port ?? appliance.port)
    let response = try logIn()
    guard response.status == 200 else { throw TestSupportError("login: \(response.status) \(response.text)") }
  }

  /// Thirty days of minutes are many numbers for a server under a sanitizer.
  private static func patientClient(_ port: UInt16) -> BlockingHTTPClient {
    BlockingHTTPClient(port: port, timeoutSeconds: 120)
  }

  @discardableResult
  func logIn(_ password: String = AdminBrowser.password) throws -> BlockingHTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("password", password)
    writer.endObject()
    let response = try client.send(
      "POST", "/admin/api/login", fields: [("content-type", "application/json")], body: writer.bytes)
    if response.status == 200 {
      cookie = response.field("set-cookie").map { String($0.prefix { $0 != ";" }) }
      csrfToken = response.json?["csrf_token"]?.stringValue
    }
    return response
  }

  /// The fields that a browser with the session would send.
  var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = [("content-type", "application/json")]
    if let cookie { fields.append(("cookie", cookie)) }
    if let csrfToken { fields.append(("x-csrf-token", csrfToken)) }
    return fields
  }

  func get(_ path: String) throws -> BlockingHTTPResponse {
    try client.send("GET", "/admin/api/" + path, fields: fields)
  }

  func send(
    _ method: String, _ path: String, _ body: String = "", more: [(name: String, value: String)] = []
  ) throws -> BlockingHTTPResponse {
    try client.send(method, "/admin/api/" + path, fields: fields + more, body: Array(body.utf8))
  }

  func search(_ body: String) throws -> JSONValue? { try send("POST", "registrations/search", body).json }
}

/// Asks until it holds, for some seconds at most: what is written once a second is not there at once.
func waitUntil(_ holds: () throws -> Bool) throws -> Bool {
  let end = MonotonicTime.now() + .seconds(20)
  while MonotonicTime.now() < end {
    if try holds() { return true }
    usleep(50_000)
  }
  return false
}

extension Appliance {
  /// The port of `admin.listen`, from the log.
  var adminPort: UInt16? {
    guard
      let line = log.split(separator: "\n").first(where: {
        $0.contains("listening") && $0.contains("for=admin")
      }),
      let text = line.firstRange(of: "address=127.0.0.1:")?.upperBound
    else { return nil }
    return UInt16(line[text...].prefix { $0.isNumber })
  }

  /// With the admin page on.
  static func withAdmin(
    more: String = "", _ configure: (inout MockConfiguration) throws -> Void = { _ in }
  ) throws -> Appliance {
    try Appliance(gateway: { _ in }) { settings, _ in
      settings.more += "\n\n" + AdminBrowser.section + "\n" + more
      try configure(&settings)
    }
  }
}
