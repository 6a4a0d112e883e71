import Bytes
import JSON
import Service
import Store
import Telemetry

extension JSONWriter {
  mutating func optional(_ key: String, _ value: String?) {
    self.key(key)
    if let value { self.value(value) } else { null() }
  }

  mutating func optional(_ key: String, _ value: (some UnsignedInteger & FixedWidthInteger)?) {
    self.key(key)
    if let value { self.value(value) } else { null() }
  }

  mutating func optional(_ key: String, _ value: Int64?) {
    self.key(key)
    if let value { self.value(value) } else { null() }
  }

  mutating func optional(_ key: String, _ value: Int?) {
    self.key(key)
    if let value { self.value(value) } else { null() }
  }

  /// Milliseconds, to a microsecond.
  mutating func milliseconds(_ key: String, nanoseconds: Int64) {
    member(key, Double(max(0, nanoseconds) / 1000) / 1000)
  }

  mutating func percentiles(_ key: String, _ percentiles: LatencyPercentiles?) {
    self.key(key)
    guard let percentiles else { return null() }
    beginObject()
    member("p50", percentiles.p50)
    member("p95", percentiles.p95)
    member("p99", percentiles.p99)
    endObject()
  }

  mutating func column(_ key: String, _ numbers: [UInt64]) {
    self.key(key)
    beginArray()
    for number in numbers { value(number) }
    endArray()
  }

  private mutating func latency(_ latency: HistoryColumns.Latency) {
    key("latency_ms")
    beginObject()
    for (name, path) in [
      ("p50", \LatencyPercentiles.p50), ("p95", \LatencyPercentiles.p95), ("p99", \LatencyPercentiles.p99),
    ] {
      key(name)
      beginArray()
      for percentiles in latency.values {
        if let percentiles { value(percentiles[keyPath: path]) } else { null() }
      }
      endArray()
    }
    endObject()
  }

  mutating func history(_ columns: HistoryColumns, range: String) {
    beginObject()
    member("range", range)
    member("step_s", columns.step)
    member("start_at", columns.start)
    member("count", columns.count)
    key("pushes")
    beginObject()
    for series in columns.pushes { column(series.label.rawValue, series.counts) }
    endObject()
    latency(columns.latency)
    key("gateways")
    beginObject()
    for gateway in columns.gateways {
      key(gateway.kind.name)
      beginObject()
      column("accepted", gateway.accepted)
      column("failed", gateway.failed)
      latency(gateway.latency)
      endObject()
    }
    endObject()
    endObject()
  }

  mutating func gatewayState(_ kind: TokenKind, _ state: GatewayHealth.State, since: UInt64?) {
    member("name", kind.name)
    member("state", state.label.rawValue)
    optional("reason", state.reason)
    optional("advice", state.advice)
    optional("since_at", since)
  }

  mutating func reloadState(_ state: AdminReloadState, differsOnDisk: Bool) {
    key("reload")
    beginObject()
    optional("file", state.file)
    member("loaded_at", max(0, state.loadedAt))
    member("generation", state.generation)
    member("attempts", state.attempts)
    member("differs_on_disk", differsOnDisk)
    key("problems")
    beginArray()
    for problem in state.problems { value(problem) }
    endArray()
    optional("failed_at", state.failedAt)
    endObject()
  }

  mutating func registration(_ summary: ClientSummary, _ activity: PushActivity?) {
    beginObject()
    member("client_id", summary.key.clientID)
    member("type", summary.kind.name)
    member("state", summary.tombstone == nil ? "active" : "tombstoned")
    key("tombstone")
    if let tombstone = summary.tombstone {
      beginObject()
      member("reason", tombstone.reason)
      member("at", tombstone.time)
      endObject()
    } else {
      null()
    }
    member("always_raw", summary.alwaysRaw)
    member("authenticated", summary.authenticated)
    member("token_hash", Self.shortHash(summary.tokenIndex))
    member("created_at", summary.createdAt)
    member("updated_at", summary.updatedAt)
    key("pushes")
    if let activity {
      beginObject()
      member("delivered", activity.delivered)
      member("failed", activity.failed)
      member("last_at", activity.lastTime * 1000)
      member("last_outcome", activity.lastOutcome.name)
      endObject()
    } else {
      null()
    }
    endObject()
  }

  /// The beginning of a device token's keyed hash.
  static func shortHash(_ index: [UInt8]) -> String { Hex.encode(index.prefix(6)) }

  /// - Parameter worker: whose ring it is from.
  mutating func delivery(_ record: DeliveryRecord, worker: Int) {
    beginObject()
    member("id", "\(worker)-\(record.number)")
    member("source", record.source.rawValue)
    member("received_at", record.receivedAt)
    member("client_id", record.clientID)
    member("outcome", record.result.label.rawValue)
    member("status", record.result.response.status)
    optional("detail", record.detail)
    optional("gateway", record.kind?.name)
    optional("token_hash", record.tokenIndex.isEmpty ? nil : Self.shortHash(record.tokenIndex))
    member("request_id", record.requestID)
    optional("peer", record.peer)
    member("retries", record.retries)
    milliseconds("duration_ms", nanoseconds: record.duration)
    key("steps")
    beginArray()
    for step in record.steps {
      beginObject()
      member("name", step.name.rawValue)
      milliseconds("at_ms", nanoseconds: step.offset)
      optional("text", step.text)
      endObject()
    }
    endArray()
    endObject()
  }
}

extension PushActivity.Outcome {
  /// For the admin API.
  var name: String {
    switch self {
    case .delivered: "delivered"
    case .deadToken: "dead_token"
    case .failed: "failed"
    }
  }
}
