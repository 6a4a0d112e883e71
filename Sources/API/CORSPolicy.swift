import HTTP

/// Which web pages may use the API (Fetch standard, "CORS protocol"). By default any, as in the Rust server:
/// registration carries no cookie.
struct CORSPolicy {
  /// Nil means any.
  let origins: Set<String>?

  /// The answer to a page's question before its request. `*` does not cover `Authorization`.
  static let preflight: HTTPResponse = {
    var response = HTTPResponse.empty(200)
    response.fields.add("access-control-allow-methods", "POST, DELETE")
    response.fields.add("access-control-allow-headers", "authorization, content-type, *")
    response.fields.add("access-control-max-age", "7200")
    return response
  }()

  /// Adds what lets the page that sent `request` see the answer.
  func add(to response: inout HTTPResponse, for request: HTTPRequest) {
    guard let origins else { return response.fields.add("access-control-allow-origin", "*") }
    response.fields.add("vary", "origin")
    guard let origin = request.fields.first("origin"), origins.contains(origin) else { return }
    response.fields.add("access-control-allow-origin", origin)
  }
}
