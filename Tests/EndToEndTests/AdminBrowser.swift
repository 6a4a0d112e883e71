import Bytes
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

  init(_ appliance: Appliance) {
    client = Self.patientClient(appliance)
  }

  /// Signed in.
  init(signedInAt appliance: Appliance) throws {
    client = Self.patientClient(appliance)
    let response = try logIn()
    guard response.status == 200 else { throw TestSupportError("login: \(response.status) \(response.text)") }
  }

  /// Thirty days of minutes are many numbers for a server under a sanitizer.
  private static func patientClient(_ appliance: Appliance) -> BlockingHTTPClient {
    BlockingHTTPClient(port: appliance.port, timeoutSeconds: 120)
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

extension Appliance {
  /// With the admin page on.
  static func withAdmin(
    more: String = "", _ configure: (inout MockConfiguration) -> Void = { _ in }
  ) throws -> Appliance {
    try Appliance { settings in
      settings.more += "\n\n" + AdminBrowser.section + "\n" + more
      configure(&settings)
    }
  }
}
