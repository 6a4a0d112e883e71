import JSON
import Store
import Telemetry

/// Registrations as `pushbox clients` prints them: words for people, JSON for scripts.
enum ClientText {
  static func line(_ client: ClientSummary) -> String {
    let state = client.tombstone.map { "dead: \($0.reason)" } ?? "active"
    return "\(client.key.clientID)\t\(client.kind.name)\t\(state)"
  }

  /// - Parameter pseudonym: the client's name in the log.
  static func page(_ client: ClientSummary, _ pseudonym: String, _ activity: PushActivity?) -> String {
    var lines = [
      "client:         \(client.key.clientID)",
      "in the log:     \(pseudonym)",
      "type:           \(client.kind.name)",
      "always raw:     \(client.alwaysRaw)",
      "authenticated:  \(client.authenticated)",
      "first seen:     \(time(client.createdAt / 1000))",
      "registered:     \(time(client.updatedAt / 1000))",
    ]
    if let tombstone = client.tombstone {
      lines.append("token dead:     \(time(tombstone.time / 1000)), \(tombstone.reason)")
    }
    guard let activity else { return (lines + ["pushes:         none lately"]).joined(separator: "\n") }
    lines.append("pushes:         \(activity.delivered) delivered, \(activity.failed) not")
    lines.append("last push:      \(time(activity.lastTime)), \(words(activity.lastOutcome))")
    return lines.joined(separator: "\n")
  }

  static func json(_ client: ClientSummary) -> String {
    object { write(client, to: &$0) }
  }

  /// - Parameter pseudonym: the client's name in the log.
  static func json(_ client: ClientSummary, _ pseudonym: String, _ activity: PushActivity?) -> String {
    object { writer in
      write(client, to: &writer)
      writer.member("pseudonym", pseudonym)
      writer.key("pushes")
      guard let activity else { return writer.null() }
      writer.beginObject()
      writer.member("delivered", activity.delivered)
      writer.member("failed", activity.failed)
      writer.member("last_at", activity.lastTime)
      writer.member("last_outcome", words(activity.lastOutcome))
      writer.endObject()
    }
  }

  static func json(_ counts: RegistrationCounts) -> String {
    object { writer in
      writer.key("active")
      writer.beginObject()
      for kind in TokenKind.allCases { writer.member(kind.name, counts.active[kind] ?? 0) }
      writer.endObject()
      writer.member("total_active", counts.totalActive)
      writer.member("total_dead", counts.totalTombstoned)
    }
  }

  static func json(_ key: ClientKey) -> String {
    object { $0.member("client_id", key.clientID) }
  }

  private static func write(_ client: ClientSummary, to writer: inout JSONWriter) {
    writer.member("client_id", client.key.clientID)
    writer.member("type", client.kind.name)
    writer.member("always_raw", client.alwaysRaw)
    writer.member("authenticated", client.authenticated)
    writer.member("created_at", client.createdAt / 1000)
    writer.member("updated_at", client.updatedAt / 1000)
    writer.key("dead")
    guard let tombstone = client.tombstone else { return writer.null() }
    writer.beginObject()
    writer.member("at", tombstone.time / 1000)
    writer.member("reason", tombstone.reason)
    writer.endObject()
  }

  private static func object(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return writer.string
  }

  private static func words(_ outcome: PushActivity.Outcome) -> String {
    switch outcome {
    case .delivered: "delivered"
    case .deadToken: "dead token"
    case .failed: "failed"
    }
  }

  private static func time(_ seconds: UInt64) -> String {
    RFC3339.text(milliseconds: Int64(clamping: seconds) * 1000)
  }
}
