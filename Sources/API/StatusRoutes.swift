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
  private let registry: MetricsRegistry
  private var features: [String]
  private let start = MonotonicTime.now()
  private let instanceID = RequestID.choose(nil)

  init(settings: APISettings, reader: StoreReader, health: GatewayHealthSet, registry: MetricsRegistry) {
    self.settings = settings
    self.reader = reader
    self.health = health
    self.registry = registry
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

  /// Ready to take pushes: the store answers.
  func ready() -> HTTPResponse {
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
      writer.endObject()
      return .json(200, writer.bytes)
    } catch {
      return APIResponse.failure(503, name: "store", message: "the store cannot answer", retryAfter: 5)
    }
  }

  /// Prometheus text.
  func metrics() -> HTTPResponse {
    var response = HTTPResponse(status: 200, body: registry.render())
    response.fields.add("content-type", MetricsRegistry.contentType)
    return response
  }
}
