import Bytes
import Crypto
import EventLoop
import HTTP
import Relay
import Service
import Store
import Telemetry

/// The admin API in one worker: who may do what, and who does it. Loop thread only.
final class AdminRoutes {
  let loop: EventLoop
  let shared: AdminShared
  let pushes: PushService
  /// Nil: the page is off.
  private(set) var settings: AdminSettings?
  private(set) var api: APISettings

  /// One request that may be served.
  struct Call {
    let request: HTTPRequest
    let responder: HTTPResponder
    let requestID: String
    let address: IPAddress?
    let loop: EventLoop
    /// Whether it came by an address of the admin page's own.
    let isAtOwnAddress: Bool

    func respond(_ response: HTTPResponse) {
      responder.respond(AdminRoutes.guarded(response, requestID))
    }

    func respond(_ head: HTTPResponse, streaming body: HTTPBodyStream) {
      responder.respond(AdminRoutes.guarded(head, requestID), streaming: body)
    }

    func fail(_ status: Int, _ name: String, _ message: String, retryAfter: Int? = nil) {
      respond(APIResponse.failure(status, name: name, message: message, retryAfter: retryAfter))
    }

    func fail(_ error: AdminBodyError) {
      fail(400, error.name, error.text)
    }

    func storeFailed() {
      fail(503, "store", "the store cannot answer", retryAfter: 5)
    }
  }

  init(loop: EventLoop, shared: AdminShared, pushes: PushService, settings: AdminSettings?, api: APISettings)
  {
    self.loop = loop
    self.shared = shared
    self.pushes = pushes
    self.settings = settings
    self.api = api
    shared.add(LoopBound(pushes.records, loop: loop))
  }

  func apply(_ settings: AdminSettings?, _ api: APISettings) {
    self.settings = settings
    self.api = api
  }

  /// Fields of every answer: nothing of it may be kept or taken for something else.
  private static func guarded(_ response: HTTPResponse, _ requestID: String) -> HTTPResponse {
    var response = response
    response.fields.set("cache-control", "no-store")
    response.fields.set("x-content-type-options", "nosniff")
    response.fields.set("x-request-id", requestID)
    return response
  }

  /// - Parameter segments: of the path after `/admin/api`.
  func handle(_ segments: ArraySlice<Substring>, _ call: Call) {
    guard let route = AdminRoute(segments) else { return call.fail(404, "not_found", "no such route") }
    let method = call.request.method == "HEAD" ? "GET" : call.request.method
    guard route.methods.contains(method) else {
      var response = APIResponse.failure(
        405, name: "method_not_allowed",
        message: "this route answers \(route.methods.joined(separator: " and "))")
      response.fields.add("allow", route.methods.joined(separator: ", "))
      return call.respond(response)
    }
    guard let settings, call.isAtOwnAddress || !settings.hasOwnAddress else {
      let reason = settings == nil ? AdminSettings.howToEnable : AdminSettings.whereItIs
      if route == .session { return respondDisabled(reason, isElsewhere: settings != nil, call) }
      return call.fail(404, "admin_disabled", "the admin page is not here. \(reason)")
    }
    let cookie = Cookie.value(of: settings.cookieName, in: call.request)
    let session = cookie.flatMap { shared.sessions.session($0, now: shared.clock()) }
    switch route {
    case .session: return respondSession(session, call)
    case .login:
      guard isFromThisSite(call.request) else { return refuseOrigin(call) }
      return withBody(route, call) { [self] in login($0, settings, call) }
    default: break
    }
    guard let session, let cookie else { return call.fail(401, "unauthenticated", "sign in first") }
    if method != "GET" {
      guard isFromThisSite(call.request) else { return refuseOrigin(call) }
      let token = call.request.fields.first("x-csrf-token") ?? ""
      guard constantTimeEqual(Array(token.utf8), Array(session.csrfToken.utf8)) else {
        return call.fail(
          403, "csrf", "the X-CSRF-Token header is missing or wrong: ask for the session again")
      }
    }
    if route == .logout { return logout(cookie, settings, call) }
    if route == .deliveryStream { return streamDeliveries(session: cookie, call) }
    withBody(route, call) { [self] in serve(route, $0, call) }
  }

  private func serve(_ route: AdminRoute, _ body: AdminBody, _ call: Call) {
    switch route {
    case .session, .login, .logout, .deliveryStream: break
    case .overview: overview(call)
    case .history: history(call)
    case .search: search(body, call)
    case .registration(let id):
      withClient(id, call) { [self] in
        if call.request.method == "DELETE" { delete($0, call) } else { registration($0, call) }
      }
    case .restore(let id): withClient(id, call) { [self] in restore($0, body, call) }
    case .revive(let id): withClient(id, call) { [self] in revive($0, call) }
    case .testPush(let id): withClient(id, call) { [self] in testPush($0, call) }
    case .why(let id): withClient(id, call) { [self] in why($0, call) }
    case .deliveries: deliveries(call)
    case .configuration: configuration(call)
    case .reload: reload(call)
    case .backup: backup(call)
    case .actions: actions(call)
    }
  }

  private func withClient(_ segment: Substring, _ call: Call, _ body: (ClientID) -> Void) {
    guard let text = PercentEncoding.decode(segment) else {
      return call.fail(400, "field", "the client ID is not valid percent-encoded UTF-8")
    }
    do throws(ClientIDError) {
      body(try ClientID(text))
    } catch {
      call.fail(400, "field", error.description)
    }
  }

  /// The request's body, for routes that take one.
  private func withBody(_ route: AdminRoute, _ call: Call, _ serve: (AdminBody) -> Void) {
    guard route.takesBody else { return serve(AdminBody()) }
    guard APIHandler.isJSON(call.request) else {
      return call.fail(415, "content_type", "the body must be sent as Content-Type: application/json")
    }
    do throws(AdminBodyError) {
      serve(try AdminBody(call.request.body))
    } catch {
      call.fail(error)
    }
  }

  // MARK: Where a request comes from

  /// What browsers say of a request's origin, where they do: a page of another site cannot make them lie.
  private func isFromThisSite(_ request: HTTPRequest) -> Bool {
    if let site = request.fields.first("sec-fetch-site") { return site == "same-origin" || site == "none" }
    guard let origin = request.fields.first("origin") else { return true }
    if origin == api.origin { return true }
    guard let host = request.authority else { return false }
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  private func refuseOrigin(_ call: Call) {
    call.fail(403, "origin", "the request comes from another site")
  }
}

/// Cookies of a request (RFC 6265, section 4.2.1).
enum Cookie {
  static func value(of name: String, in request: HTTPRequest) -> String? {
    for field in request.fields.all("cookie") {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
        return String(parts[1])
      }
    }
    return nil
  }
}
