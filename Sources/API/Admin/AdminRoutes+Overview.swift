import EventLoop
import HTTP
import JSON
import Service
import Store

/// What the first page shows, and numbers over time.
extension AdminRoutes {
  /// What may be asked for, in seconds to a step. Such that no answer holds more than `HistoryColumns.maximumCount`
  /// steps.
  private static let steps: [String: (allowed: Set<UInt64>, standard: UInt64)] = [
    "hour": ([1, 10, 30, 60], 10), "day": ([60, 300, 900], 900), "month": ([900, 3600, 14_400], 3600),
  ]

  func overview(_ call: Call) {
    let shared = self.shared
    let api = self.api
    guard shared.host != nil else {
      return call.fail(503, "starting", "the server is starting or stopping: ask again", retryAfter: 1)
    }
    shared.atDesk(loop) { reader in
      AdminOverview(shared, api).json(reader)
    } _: { json in
      guard let json else { return call.storeFailed() }
      call.respond(.json(200, json))
    }
  }

  func history(_ call: Call) {
    guard let query = QueryParameters(call.request.query), let range = query["range"],
      let steps = Self.steps[range]
    else { return call.fail(400, "field", "range must be hour, day or month") }
    var step = steps.standard
    if let text = query["step_s"] {
      guard let number = UInt64(text), steps.allowed.contains(number) else {
        let allowed = steps.allowed.sorted().map(String.init).joined(separator: ", ")
        return call.fail(
          400, "field",
          "step_s must be one of \(allowed) for range=\(range): an answer holds at most "
            + "\(HistoryColumns.maximumCount) steps")
      }
      step = number
    }
    let shared = self.shared
    shared.atDesk(loop) { [step] reader -> [UInt8]? in
      var writer = JSONWriter()
      do throws(StoreError) {
        let columns =
          switch range {
          case "hour": shared.history.lastHour(step: step)
          case "day": try shared.history.lastMinutes(MetricsHistory.minutesPerDay, step: step, reader)
          default: try shared.history.lastMinutes(MetricsHistory.minutes, step: step, reader)
          }
        writer.history(columns, range: range)
      } catch {
        return nil
      }
      return writer.bytes
    } _: { json in
      guard let json else { return call.storeFailed() }
      call.respond(.json(200, json))
    }
  }
}

/// Everything that the first page shows, as JSON.
struct AdminOverview {
  private static let warningPercent = 80
  private static let errorPercent = 95
  private static let expiryWarningDays = 30
  private static let expiryErrorDays = 7
  /// Seconds: pushes a minute.
  private static let historyStep: UInt64 = 60

  private let shared: AdminShared
  private let api: APISettings
  private let metrics: ServiceMetrics
  private let hour: HistoryColumns

  init(_ shared: AdminShared, _ api: APISettings) {
    self.shared = shared
    self.api = api
    metrics = shared.service.metrics
    hour = shared.history.lastHour(step: Self.historyStep)
  }

  /// nil when the store cannot be read.
  func json(_ reader: StoreReader) -> [UInt8]? {
    guard let counts = try? reader.counts(), let space = shared.storeStatus, let host = shared.host else {
      return nil
    }
    var writer = JSONWriter()
    writer.beginObject()
    server(&writer)
    gateways(&writer)
    pushes(&writer)
    registrations(counts, &writer)
    credentials(&writer)
    store(space, &writer)
    writer.reloadState(host.reloadState, differsOnDisk: host.differsOnDisk)
    writer.key("history")
    writer.history(hour, range: "hour")
    writer.endObject()
    return writer.bytes
  }

  private func server(_ writer: inout JSONWriter) {
    writer.key("server")
    writer.beginObject()
    writer.member("version", api.version)
    writer.member("started_at", shared.startedAt)
    writer.member("uptime_s", shared.uptime)
    writer.member("push_url", api.pushURL)
    writer.member("workers", shared.host?.workerCount ?? 1)
    writer.member("connections_open", max(0, metrics.connections.value))
    writer.member("pushes_in_flight", max(0, metrics.inFlight.value))
    writer.endObject()
  }

  private func gateways(_ writer: inout JSONWriter) {
    let endpoints = shared.host?.endpoints ?? [:]
    writer.key("gateways")
    writer.beginArray()
    for kind in api.kinds.sorted(by: { $0.rawValue < $1.rawValue }) {
      let (state, since) = shared.service.health[kind].stateAndSince
      writer.beginObject()
      writer.gatewayState(kind, state, since: since)
      writer.member("attempts", metrics.gatewayLatency[kind]?.snapshot.count ?? 0)
      writer.percentiles("latency_ms", hour.total.gatewayLatency[kind])
      writer.member("endpoint", endpoints[kind] ?? "")
      writer.endObject()
    }
    writer.endArray()
  }

  private func pushes(_ writer: inout JSONWriter) {
    writer.key("pushes")
    writer.beginObject()
    writer.key("total")
    writer.beginObject()
    for label in PushResultLabel.allCases where metrics.pushes[label] > 0 {
      writer.member(label.rawValue, metrics.pushes[label])
    }
    writer.endObject()
    writer.key("last_hour")
    writer.beginObject()
    for entry in hour.total.pushes { writer.member(entry.label.rawValue, entry.count) }
    writer.endObject()
    writer.percentiles("latency_ms", hour.total.latency)
    writer.endObject()
  }

  private func registrations(_ counts: RegistrationCounts, _ writer: inout JSONWriter) {
    writer.key("registrations")
    writer.beginObject()
    for (name, byKind) in [("active", counts.active), ("tombstoned", counts.tombstoned)] {
      writer.key(name)
      writer.beginObject()
      for kind in TokenKind.allCases { writer.member(kind.name, byKind[kind] ?? 0) }
      writer.endObject()
    }
    writer.key("changes")
    writer.beginObject()
    for label in ServiceMetrics.RegistrationLabel.allCases {
      writer.member(label.rawValue, metrics.registrations[label])
    }
    writer.endObject()
    writer.key("refused")
    writer.beginArray()
    for reason in RegistrationRefusal.allCases where metrics.refusals[reason] > 0 {
      writer.beginObject()
      writer.member("reason", reason.rawValue)
      writer.member("count", metrics.refusals[reason])
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private func credentials(_ writer: inout JSONWriter) {
    writer.key("credentials")
    writer.beginArray()
    let now = Int64(clamping: shared.clock())
    for credential in shared.host?.credentials ?? [] {
      writer.beginObject()
      writer.member("name", credential.name)
      writer.member("key", credential.key)
      writer.key("names")
      writer.beginArray()
      for name in credential.names { writer.value(name) }
      writer.endArray()
      writer.optional("issuer", credential.issuer)
      writer.optional("expires_at", credential.expiresAt)
      let days = credential.expiresAt.map { Self.days(Int64(clamping: $0) - now) }
      writer.optional("days_left", days)
      writer.member("level", Self.level(daysLeft: days))
      writer.optional("note", credential.note)
      writer.endObject()
    }
    writer.endArray()
  }

  /// Whole days; negative as soon as it is over.
  private static func days(_ milliseconds: Int64) -> Int64 {
    milliseconds / 86_400_000 - (milliseconds < 0 ? 1 : 0)
  }

  private static func level(daysLeft: Int64?) -> String {
    guard let daysLeft else { return "ok" }
    return daysLeft < expiryErrorDays ? "error" : daysLeft < expiryWarningDays ? "warning" : "ok"
  }

  private func store(_ status: StoreStatus, _ writer: inout JSONWriter) {
    writer.key("store")
    writer.beginObject()
    writer.member("path", shared.host?.storePath ?? "")
    for (name, space) in [("registrations", status.registrations), ("deliveries", status.deliveries)] {
      writer.key(name)
      writer.beginObject()
      writer.member("used_bytes", space?.usedBytes ?? 0)
      writer.member("size_bytes", space?.mapSize ?? 0)
      writer.member("percent", space?.percent ?? 0)
      writer.endObject()
    }
    let percent = max(status.registrations.percent, status.deliveries?.percent ?? 0)
    writer.member(
      "level",
      percent >= Self.errorPercent ? "error" : percent >= Self.warningPercent ? "warning" : "ok")
    writer.endObject()
  }
}
