import EventLoop
import HTTP
import JSON
import Relay
import Service

/// A test push, told step by step.
extension AdminRoutes {
  private static let testContent = TestPush.Content.alert(
    title: "pushbox", body: "A test push from your push server.")

  func testPush(_ client: ClientID, _ call: Call) {
    let shared = self.shared
    let wantsEvents = call.request.fields.first("accept")?.contains(ServerSentEvents.type) == true
    let body = HTTPBodyStream()
    if wantsEvents { call.respond(ServerSentEvents.head, streaming: body) }
    var steps: [TestPush.Step] = []
    pushes.test(client, Self.testContent, requestID: call.requestID, address: call.address) { step in
      guard wantsEvents else { return steps.append(step) }
      var writer = JSONWriter()
      TestPushJSON.write(step, to: &writer)
      body.write(ServerSentEvents.event("step", writer.bytes))
    } _: { outcome in
      shared.actions.note(
        .testPush, target: client.text, isGood: outcome.isOK, detail: outcome.result.label.rawValue,
        by: call.address)
      guard wantsEvents else {
        return call.respond(.json(200, Array(TestPushJSON.text(steps, outcome).utf8)))
      }
      var writer = JSONWriter()
      TestPushJSON.write(outcome, to: &writer)
      body.write(ServerSentEvents.event("result", writer.bytes))
      body.finish()
    }
  }
}

/// Server-sent events (HTML Living Standard, section 9.2).
enum ServerSentEvents {
  static let type = "text/event-stream"

  static var head: HTTPResponse {
    var head = HTTPResponse(status: 200)
    head.fields.add("content-type", type)
    // nginx gathers a response before it sends it on, unless told not to.
    head.fields.add("x-accel-buffering", "no")
    return head
  }

  /// - Parameter json: without line feeds, as `JSONWriter` makes it.
  static func event(_ name: String, id: String? = nil, _ json: [UInt8]) -> [UInt8] {
    var out = Array("event: \(name)\n".utf8)
    if let id { out.append(contentsOf: "id: \(id)\n".utf8) }
    out.append(contentsOf: "data: ".utf8)
    out.append(contentsOf: json)
    out.append(contentsOf: "\n\n".utf8)
    return out
  }

  /// Shows both sides that the other is there.
  static let heartbeat = Array(":\n\n".utf8)
}
