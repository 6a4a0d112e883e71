import Bytes
import HTTP

/// The pages in `Public/`, which are part of the binary.
struct PublicFiles {
  private let files: [String: HTTPResponse]

  init() {
    var files: [String: HTTPResponse] = [:]
    for (name, base64) in embeddedPublicFiles {
      guard let content = Base64.decode(base64.utf8) else { continue }
      files[name] = Self.response(name, content)
    }
    self.files = files
  }

  /// The answer for a file's name; an empty name is the start page.
  func response(_ name: String) -> HTTPResponse? { files[name.isEmpty ? "index.html" : name] }

  func contains(_ name: String) -> Bool { response(name) != nil }

  private static func response(_ name: String, _ content: [UInt8]) -> HTTPResponse {
    var response = HTTPResponse(status: 200, body: content)
    response.fields.add("content-type", type(name))
    // A new binary brings new pages.
    response.fields.add("cache-control", "no-cache")
    response.fields.add(
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    response.fields.add("x-content-type-options", "nosniff")
    response.fields.add("referrer-policy", "no-referrer")
    return response
  }

  private static func type(_ name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
