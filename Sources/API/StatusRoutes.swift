import EventLoop
import HTTP
import JSON
import Store
import Telemetry

/// Health and metrics: no secrets, nothing about single clients.
struct StatusRoutes {
  var settings: APISettings
  private let reader: StoreReader
  private let registry: MetricsRegistry
  private let start = MonotonicTime.now()
  private let instanceID = RequestID.choose(nil)

  init(settings: APISettings, reader: StoreReader, registry: MetricsRegistry) {
    self.settings = settings
    self.reader = reader
    self.registry = registry
  }

  /// Alive: the words of the Rust server, or JSON for a caller that asks for it.
  func health(_ request: HTTPRequest) -> HTTPResponse {
    let uptime = (MonotonicTime.now() - start).wholeMilliseconds / 1000
    let features = settings.features.joined(separator: ",")
    guard request.fields.first("accept")?.contains("application/json") == true else {
      return .text(
        200,
        "OK v\(settings.version), features: \(features), instance id: \(instanceID), uptime: \(uptime) seconds"
      )
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", "ok")
    writer.member("version", settings.version)
    writer.key("features")
    writer.beginArray()
    for feature in settings.features { writer.value(feature) }
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

  /// Prometheus text.
  func metrics() -> HTTPResponse {
    var response = HTTPResponse(status: 200, body: registry.render())
    response.fields.add("content-type", MetricsRegistry.contentType)
    return response
  }
}
