import Bytes
import EventLoop
import HTTP
import Relay
import Service
import Store
import Telemetry

/// What the routes need to know of the configuration and the build.
public struct APISettings: Sendable {
  /// The path of the public URL, under which the routes live besides the root.
  public var basePath: String
  /// Project IDs taken in paths; nil takes any.
  public var projectIDs: Set<String>?
  /// For `/health`.
  public var version: String
  /// The kinds of device token that have a gateway.
  public var kinds: Set<TokenKind>
  /// What the relay and the apps are to be told, for the start page.
  public var pushURL: String
  /// Whose word on a client's address counts.
  public var proxies: TrustedProxies
  /// Origins of web pages that may use the API; nil means any.
  public var corsOrigins: Set<String>?
  public var metrics: MetricsAccess
  /// The public URL's scheme, host and port.
  public var origin: String

  public init(
    basePath: String, projectIDs: Set<String>?, version: String, kinds: Set<TokenKind>, pushURL: String,
    proxies: TrustedProxies = TrustedProxies(), corsOrigins: Set<String>? = nil, origin: String = "",
    metrics: MetricsAccess = MetricsAccess()
  ) {
    self.corsOrigins = corsOrigins
    self.metrics = metrics
    self.origin = origin
    self.proxies = proxies
    self.basePath = basePath
    self.projectIDs = projectIDs
    self.version = version
    self.kinds = kinds
    self.pushURL = pushURL
  }
}

/// The relay-facing API of one worker: registration, deletion, push, health. Loop thread only.
public final class APIHandler: HTTPHandler {
  private var routes: RouteTable
  private var proxies: TrustedProxies
  private var cors: CORSPolicy
  private let pushes: PushService
  private let registrations: RegistrationService
  private var status: StatusRoutes
  private let pages: PublicFiles
  private let admin: AdminRoutes
  private let log: Log
  private let forwardedNotice: ForwardedFieldNotice

  public init(
    settings: APISettings, admin: AdminSettings?, loop: EventLoop, shared: AdminShared, pushes: PushService,
    registrations: RegistrationService, reader: StoreReader
  ) {
    let pages = PublicFiles()
    self.pages = pages
    routes = Self.routes(settings, pages)
    proxies = settings.proxies
    cors = CORSPolicy(origins: settings.corsOrigins)
    self.pushes = pushes
    self.registrations = registrations
    status = StatusRoutes(settings: settings, reader: reader, shared: shared)
    self.admin = AdminRoutes(loop: loop, shared: shared, pushes: pushes, settings: admin, api: settings)
    log = shared.service.log
    forwardedNotice = shared.forwardedNotice
  }

  /// Takes new settings for all requests from now on.
  public func apply(_ settings: APISettings, admin: AdminSettings?) {
    self.admin.apply(admin, settings)
    routes = Self.routes(settings, pages)
    proxies = settings.proxies
    cors = CORSPolicy(origins: settings.corsOrigins)
    status.settings = settings
  }

  private static func routes(_ settings: APISettings, _ pages: PublicFiles) -> RouteTable {
    RouteTable(basePath: settings.basePath, projectIDs: settings.projectIDs, isPage: { pages.contains($0) })
  }

  /// The answer to what the server refuses by itself, in the API's shape.
  public static func errorResponse(status: Int, reason: String) -> HTTPResponse {
    APIResponse.failure(status, name: status == 413 ? "body" : "http", message: reason)
  }

  public func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    forwardedNotice.note(request, proxies)
    let requestID = RequestID.choose(request.fields.first("x-request-id"))
    if let segments = routes.adminSegments(request.path) {
      return handleAdmin(segments, request, responder, requestID, isAtOwnAddress: false)
    }
    let start = MonotonicTime.now()
    let (cors, refusals) = (self.cors, RefusalLog(log, proxies))
    answer(request, requestID) { response in
      var response = response
      response.fields.add("x-request-id", requestID)
      cors.add(to: &response, for: request)
      responder.respond(response)
      refusals.note(response, to: request, requestID, since: start)
    }
  }

  private func handleAdmin(
    _ segments: ArraySlice<Substring>, _ request: HTTPRequest, _ responder: HTTPResponder,
    _ requestID: String, isAtOwnAddress: Bool
  ) {
    admin.handle(
      segments,
      AdminRoutes.Call(
        request: request, responder: responder, requestID: requestID,
        address: proxies.clientAddress(of: request), loop: admin.loop, isAtOwnAddress: isAtOwnAddress))
  }

  /// For the admin page's own addresses: its API, its files, and nothing else.
  public private(set) lazy var adminEntrance: any HTTPHandler = AdminEntrance(self)

  private final class AdminEntrance: HTTPHandler {
    private unowned let handler: APIHandler

    init(_ handler: APIHandler) {
      self.handler = handler
    }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      if let segments = handler.routes.adminSegments(request.path) {
        handler.forwardedNotice.note(request, handler.proxies)
        let requestID = RequestID.choose(request.fields.first("x-request-id"))
        return handler.handleAdmin(segments, request, responder, requestID, isAtOwnAddress: true)
      }
      switch handler.routes.route(request.path) {
      case .page, .baseWithoutSlash, .health, .status: handler.handle(request, responder)
      default: handler.refuseElsewhere(request, responder)
      }
    }
  }

  /// 404 for what is not served at the admin page's own addresses: nothing for other pages to read.
  private func refuseElsewhere(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let start = MonotonicTime.now()
    let requestID = RequestID.choose(request.fields.first("x-request-id"))
    var response = Self.notFound
    response.fields.add("x-request-id", requestID)
    responder.respond(response)
    RefusalLog(log, proxies).note(response, to: request, requestID, since: start)
  }

  private func answer(
    _ request: HTTPRequest, _ requestID: String, _ respond: @escaping (HTTPResponse) -> Void
  ) {
    let route = routes.route(request.path)
    if let refusal = Self.refusal(of: request, route) { return respond(refusal) }
    switch route {
    case .clients: register(request, respond)
    case .client(let text):
      do throws(ClientIDError) {
        let client = try ClientID(text)
        if request.method == "DELETE" {
          delete(client, request, respond)
        } else {
          push(client, request, requestID, respond)
        }
      } catch {
        respond(Self.clientIDRefusal(error.description, .path))
      }
    case .health: respond(status.health(request))
    case .ready: respond(status.ready())
    case .metrics: respond(status.metrics(request, address: proxies.clientAddress(of: request)))
    case .status: respond(status.status())
    case .page(let name):
      var response = pages.response(name, ifNoneMatch: request.fields.first("if-none-match")) ?? Self.notFound
      // Only where TLS is ours to promise; a reverse proxy adds its own.
      if request.scheme == "https" { response.fields.add("strict-transport-security", "max-age=31536000") }
      respond(response)
    case .baseWithoutSlash:
      var response = HTTPResponse.empty(308)
      response.fields.add("location", request.path + "/")
      respond(response)
    case .malformedClientID:
      respond(Self.clientIDRefusal("is not valid percent-encoded UTF-8", .path))
    case .unknownProject, .unknown: break
    }
  }

  /// The answer when the route or the method is wrong; nil when the request may go on.
  private static func refusal(of request: HTTPRequest, _ route: Route) -> HTTPResponse? {
    switch route {
    case .unknown:
      return notFound
    case .unknownProject(let project):
      return APIResponse.failure(
        404, name: "unknown_project",
        message: "the project ID \(project) is not listed in clients.project_ids of this server",
        fields: [RequestField("project_id", "is not listed in clients.project_ids", .path)])
    case .malformedClientID: return nil
    default: break
    }
    if request.method == "OPTIONS" {
      return CORSPolicy.preflight
    }
    if case .client = route, request.method == "POST" { return nil }
    guard !route.methods.contains(request.method) else { return nil }
    var response = APIResponse.failure(
      405, name: "method_not_allowed",
      message: "this route answers \(route.methods.joined(separator: " and "))")
    response.fields.add("allow", route.methods.joined(separator: ", "))
    return response
  }

  // MARK: Routes

  private func push(
    _ client: ClientID, _ request: HTTPRequest, _ requestID: String,
    _ respond: @escaping (HTTPResponse) -> Void
  ) {
    guard Self.isJSON(request) else { return respond(Self.contentTypeRefusal) }
    let push = IncomingPush(
      client: client, signature: request.fields.first(APIHeader.signature),
      timestamp: request.fields.first(APIHeader.timestamp), body: request.body, requestID: requestID,
      address: proxies.clientAddress(of: request))
    pushes.push(push) { respond($0.response) }
  }

  private func register(_ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void) {
    if let seconds = registrations.limit(.registration, proxies.clientAddress(of: request)) {
      return respond(APIResponse.rateLimited(seconds, "too many registrations came from this address"))
    }
    guard Self.isJSON(request) else { return respond(Self.contentTypeRefusal) }
    do throws(RegistrationBodyError) {
      let body = try RegistrationBody(request.body)
      registrations.register(
        RegistrationRequest(
          client: body.client, kind: body.kind, token: body.token, alwaysRaw: body.alwaysRaw,
          authorization: request.fields.first("authorization"))
      ) { respond($0.response) }
    } catch {
      registrations.noteRefusal(error.refusal)
      respond(Self.registrationRefusal(error))
    }
  }

  private func delete(
    _ client: ClientID, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) {
    if let seconds = registrations.limit(.deletion, proxies.clientAddress(of: request)) {
      return respond(APIResponse.rateLimited(seconds, "too many deletions came from this address"))
    }
    registrations.delete(client, authorization: request.fields.first("authorization")) {
      respond($0.response)
    }
  }

  // MARK: Refusals

  /// `application/json` or `application/*+json`, with or without parameters, as the Rust server takes it.
  static func isJSON(_ request: HTTPRequest) -> Bool {
    guard let value = request.fields.first("content-type") else { return false }
    if value == "application/json" { return true }
    let type = value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    return type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
  }

  private static let contentTypeRefusal = APIResponse.failure(
    415, name: "content_type", message: "the body must be sent as Content-Type: application/json",
    fields: [RequestField("content-type", "must be application/json", .header)])

  fileprivate static let notFound = APIResponse.failure(
    404, name: "not_found", message: "no such route: pushes and registrations go to /clients")

  private static func clientIDRefusal(_ text: String, _ location: RequestField.Location) -> HTTPResponse {
    APIResponse.failure(
      400, name: "field", message: text, fields: [RequestField("client_id", text, location)])
  }

  private static func registrationRefusal(_ error: RegistrationBodyError) -> HTTPResponse {
    switch error {
    case .malformed(let text): APIResponse.failure(400, name: "decode", message: text)
    case .illTyped(let fields):
      APIResponse.failure(
        422, name: "field", message: fields.map { "\($0.field) \($0.description)" }.joined(separator: "; "),
        fields: fields)
    case .clientID(let text): clientIDRefusal(text, .body)
    case .unknownType(let type):
      APIResponse.failure(
        400, name: "provider_not_available",
        message: "\(type) is not a valid provider: expected apns, apns-sandbox or fcm",
        fields: [RequestField("provider", "expected apns, apns-sandbox or fcm", .body)])
    case .token(let text):
      APIResponse.failure(
        400, name: "field", message: "token \(text)", fields: [RequestField("token", text, .body)])
    }
  }
}

/// The relay's header names as the HTTP layer has them.
enum APIHeader {
  static let signature = RelayHeader.signature.lowercased()
  static let timestamp = RelayHeader.timestamp.lowercased()
}
