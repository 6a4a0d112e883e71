import HTTP
import JSON

/// What a service finds in a request, before any script.
struct Verdict {
  /// The answer if nothing intervenes.
  var response: HTTPResponse
  /// Why the request is refused; nil when it is not.
  var refusal: String?
  /// The device it is for, as far as that can be told.
  var deviceToken: String?
  /// The notification; nil at the token endpoint and on a refusal.
  var payload: JSONValue?
}

/// One service's logic, without connections. Loop-owned.
protocol RequestHandler: AnyObject {
  func evaluate(_ request: HTTPRequest) -> Verdict
  /// The verdict on a request that went over a limit of HTTP, with that status.
  func overflow(status: Int) -> Verdict
}
