import EventLoop
import HTTP
import JSON
import Relay
import Telemetry

/// Configuration, reload, backup, and what was done.
extension AdminRoutes {
  func configuration(_ call: Call) {
    let shared = self.shared
    shared.atDesk(loop) { _ in
      var writer = JSONWriter()
      writer.beginObject()
      if let host = shared.host { Self.configuration(of: host, &writer) }
      writer.endObject()
      return writer.bytes
    } _: {
      call.respond(.json(200, $0))
    }
  }

  private static func configuration(of host: any AdminHost, _ writer: inout JSONWriter) {
    writer.reloadState(host.reloadState, differsOnDisk: host.differsOnDisk)
    writer.key("values")
    writer.beginArray()
    for value in host.configuration {
      writer.beginObject()
      writer.member("key", value.key)
      writer.member("section", value.section)
      writer.member("name", value.name)
      writer.member("value", value.value)
      writer.member("origin", value.origin)
      writer.member("is_default", value.isDefault)
      writer.member("is_secret", value.isSecret)
      writer.member("help", value.help)
      writer.endObject()
    }
    writer.endArray()
  }

  func reload(_ call: Call) {
    guard let host = shared.host else { return call.fail(503, "stopping", "the server is stopping") }
    let shared = self.shared
    let waiting = LoopBound(call, loop: loop)
    host.reload { problems in
      waiting.run { call in
        shared.actions.note(.reload, isGood: problems.isEmpty, detail: problems.first, by: call.address)
        guard problems.isEmpty, let host = shared.host else {
          return call.respond(APIResponse.failures(422, name: "configuration", messages: problems))
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.reloadState(host.reloadState, differsOnDisk: false)
        writer.endObject()
        call.respond(.json(200, writer.bytes))
      }
    }
  }

  func actions(_ call: Call) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("items")
    writer.beginArray()
    for entry in shared.actions.latest {
      writer.beginObject()
      writer.member("at", entry.time)
      writer.member("action", entry.action)
      writer.optional("target", entry.target)
      writer.member("ok", entry.isGood)
      writer.optional("detail", entry.detail)
      writer.optional("address", entry.address)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    call.respond(.json(200, writer.bytes))
  }

  func backup(_ call: Call) {
    let isAdmitted = shared.usage.withLock { usage in
      guard !usage.isBackingUp else { return false }
      usage.isBackingUp = true
      return true
    }
    guard isAdmitted else { return call.fail(429, "busy", "a backup is under way", retryAfter: 10) }
    let date = RFC3339.text(milliseconds: RFC3339.now()).prefix(10)
    var head = HTTPResponse(status: 200)
    head.fields.add("content-type", "application/octet-stream")
    head.fields.add("content-disposition", "attachment; filename=\"pushbox-\(date).mdb\"")
    let usage = shared.usage
    let actions = shared.actions
    let address = call.address
    let download = BackupDownload(store: shared.service.store, loop: loop) { problem in
      usage.withLock { $0.isBackingUp = false }
      actions.note(.backup, isGood: problem == nil, detail: problem, by: address)
    }
    if let problem = download.start() {
      return call.fail(503, "backup", "no backup can be made: \(problem)", retryAfter: 10)
    }
    call.respond(head, streaming: download.body)
  }
}
