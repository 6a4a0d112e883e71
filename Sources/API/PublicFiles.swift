import Bytes
import HTTP

/// The pages in `Public/`, which are part of the binary.
struct PublicFiles {
  private let files: [String: HTTPResponse]

  init() {
    var files: [String: HTTPResponse] = [:]
    for (name, hash, base64) in embeddedPublicFiles {
      guard let content = Base64.decode(base64.utf8) else { continue }
      files[name] = Self.response(name, hash, content)
    }
    self.files = files
  }

  /// The answer for a file's path; an empty one is the start page.
  ///
  /// - Parameter ifNoneMatch: the field of that name: who has this very content gets 304 without it.
  func response(_ name: String, ifNoneMatch: String? = nil) -> HTTPResponse? {
    guard var response = files[Self.key(name)] else { return nil }
    if let tag = response.fields.first("etag"), ifNoneMatch?.contains(tag) == true {
      response.status = 304
      response.body = []
    }
    return response
  }

  func contains(_ name: String) -> Bool { files[Self.key(name)] != nil }

  private static func key(_ name: String) -> String { name.isEmpty ? "index.html" : name }

  private static func response(_ name: String, _ hash: String, _ content: [UInt8]) -> HTTPResponse {
    var response = HTTPResponse(status: 200, body: content)
    response.fields.add("content-type", type(name))
    // A new binary brings new pages: a browser asks each time, and is answered 304 while they are the same.
    response.fields.add("cache-control", "no-cache")
    response.fields.add("etag", "\"\(hash)\"")
    response.fields.add(
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    response.fields.add("x-content-type-options", "nosniff")
    response.fields.add("x-frame-options", "DENY")
    response.fields.add("referrer-policy", "no-referrer")
    response.fields.add("cross-origin-opener-policy", "same-origin")
    response.fields.add("cross-origin-resource-policy", "same-origin")
    response.fields.add("permissions-policy", "camera=(), geolocation=(), microphone=()")
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
