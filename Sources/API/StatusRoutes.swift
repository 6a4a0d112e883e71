import Bytes
import Crypto
import EventLoop
import HTTP
import JSON
import Service
import Store
import Telemetry

/// Health and metrics: no secrets, nothing about single clients.
struct StatusRoutes {
  var settings: APISettings {
    didSet { features = Self.features(settings) }
  }
  private let reader: StoreReader
  private let health: GatewayHealthSet
  private let shared: AdminShared
  private var features: [String]
  private let start = MonotonicTime.now()
  private let instanceID = RequestID.choose(nil)

  init(settings: APISettings, reader: StoreReader, shared: AdminShared) {
    self.settings = settings
    self.reader = reader
    self.shared = shared
    health = shared.service.health
    features = Self.features(settings)
  }

  private static func features(_ settings: APISettings) -> [String] {
    settings.kinds.map(\.name).sorted()
  }

  /// Alive: the words of the Rust server, or JSON for a caller that asks for it.
  func health(_ request: HTTPRequest) -> HTTPResponse {
    let uptime = (MonotonicTime.now() - start).wholeMilliseconds / 1000
    guard request.fields.first("accept")?.contains("application/json") == true else {
      return .text(
        200,
        "OK v\(settings.version), features: \(features.joined(separator: ",")), instance id: \(instanceID), uptime: \(uptime) seconds"
      )
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", "ok")
    writer.member("version", settings.version)
    writer.key("features")
    writer.beginArray()
    for feature in features { writer.value(feature) }
    writer.endArray()
    writer.member("instance_id", instanceID)
    writer.member("uptime_seconds", uptime)
    writer.endObject()
    return .json(200, writer.bytes)
  }

  /// Whether a gateway may take pushes: one that was not used yet may, unless it has the credentials of one that is
  /// refused.
  private var hasUsableGateway: Bool {
    let now = MonotonicTime.now()
    for provider in [[TokenKind.apns, .apnsSandbox], [.fcm]] {
      let gateways = provider.filter { settings.kinds.contains($0) }.map { health[$0] }
      let used = gateways.filter { $0.state != .unused }
      if used.isEmpty ? !gateways.isEmpty : used.contains(where: { $0.isUsable(at: now) }) { return true }
    }
    return false
  }

  /// How long a registration that found no room makes the server unready.
  private static let lackOfRoomLasts = Duration.seconds(60)

  /// Ready to take pushes and registrations: the store answers and has room, and a gateway is usable.
  func ready() -> HTTPResponse {
    guard hasUsableGateway else {
      return APIResponse.failure(
        503, name: "no_gateway", message: "no gateway takes pushes: see /status and the admin page",
        retryAfter: 30)
    }
    guard !shared.service.store.lackedRoom(within: Self.lackOfRoomLasts) else {
      return APIResponse.failure(
        503, name: "store_full", message: "the store has no room for registrations: see the log",
        retryAfter: 30)
    }
    do throws(StoreError) {
      let counts = try reader.counts()
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("ready", true)
      writer.member("registrations", counts.totalActive)
      writer.endObject()
      return .json(200, writer.bytes)
    } catch {
      return APIResponse.failure(503, name: "store", message: "the store cannot answer", retryAfter: 5)
    }
  }

  /// What the start page shows: states and counts, no reason of a refusal and nothing about one client.
  func status() -> HTTPResponse {
    do throws(StoreError) {
      let counts = try reader.counts()
      let kinds = settings.kinds.sorted { $0.rawValue < $1.rawValue }
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("version", settings.version)
      writer.member("push_url", settings.pushURL)
      writer.key("gateways")
      writer.beginObject()
      for kind in kinds { writer.member(kind.name, health[kind].state.label.rawValue) }
      writer.endObject()
      writer.key("registrations")
      writer.beginObject()
      writer.key("active")
      writer.beginObject()
      for kind in kinds { writer.member(kind.name, counts.active[kind] ?? 0) }
      writer.endObject()
      writer.member("tombstoned", counts.totalTombstoned)
      writer.endObject()
      reload(&writer)
      writer.endObject()
      return .json(200, writer.bytes)
    } catch {
      return APIResponse.failure(503, name: "store", message: "the store cannot answer", retryAfter: 5)
    }
  }

  /// Whether the latest reload took effect. What is wrong with the file is for the admin page and the log: it is about
  /// what the file says.
  private func reload(_ writer: inout JSONWriter) {
    guard let state = shared.host?.reloadState else { return }
    writer.key("reload")
    writer.beginObject()
    writer.member("ok", state.problems.isEmpty)
    writer.member("problems", state.problems.count)
    writer.member("loaded_at", state.loadedAt)
    writer.optional("failed_at", state.failedAt)
    writer.member("generation", state.generation)
    writer.endObject()
  }

  /// Prometheus text, for those who may read it.
  ///
  /// - Parameter address: who asks.
  func metrics(_ request: HTTPRequest, address: IPAddress?) -> HTTPResponse {
    guard settings.metrics.isOpen(to: address, request) else {
      var response = APIResponse.failure(
        settings.metrics.token == nil ? 403 : 401, name: "unauthenticated",
        message: "the metrics are for addresses in metrics.allow and for those who send metrics.token")
      if settings.metrics.token != nil { response.fields.add("www-authenticate", "Bearer") }
      return response
    }
    let registry = shared.registry
    var response = HTTPResponse(status: 200, body: registry.render())
    response.fields.add("content-type", MetricsRegistry.contentType)
    return response
  }
}

/// Who may read the metrics; everybody when nothing is set.
public struct MetricsAccess: Sendable {
  /// For `Authorization: Bearer`.
  public var token: String?
  public var addresses: [IPAddressBlock]

  public init(token: String? = nil, addresses: [IPAddressBlock] = []) {
    self.token = token
    self.addresses = addresses
  }

  /// Either way will do.
  func isOpen(to address: IPAddress?, _ request: HTTPRequest) -> Bool {
    if token == nil, addresses.isEmpty { return true }
    if let address, addresses.contains(where: { $0.contains(address) }) { return true }
    guard let token, let field = request.fields.first("authorization"),
      field.prefix(7).lowercased() == "bearer "
    else { return false }
    return constantTimeEqual(Array(field.utf8.dropFirst(7)), Array(token.utf8))
  }
}
