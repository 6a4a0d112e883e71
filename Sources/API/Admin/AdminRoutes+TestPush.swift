import EventLoop
import HTTP
import JSON
import Relay
import Service

/// A test push, told step by step.
extension AdminRoutes {
  func testPush(_ client: ClientID, _ call: Call) {
    let shared = self.shared
    let wantsEvents = call.request.fields.first("accept")?.contains(ServerSentEvents.type) == true
    let body = HTTPBodyStream()
    var steps = JSONWriter()
    if wantsEvents {
      call.respond(ServerSentEvents.head, streaming: body)
    } else {
      steps.beginObject()
      steps.key("steps")
      steps.beginArray()
    }
    TestPush.begin(to: client, by: pushes, requestID: call.requestID, address: call.address) { step in
      if wantsEvents {
        var writer = JSONWriter()
        writer.testStep(step)
        body.write(ServerSentEvents.event("step", writer.bytes))
      } else {
        steps.testStep(step)
      }
    } _: { result in
      shared.actions.note(
        .testPush, target: client.text, isGood: result.result == .accepted,
        detail: result.result.label.rawValue, by: call.address)
      if wantsEvents {
        var writer = JSONWriter()
        writer.testResult(result)
        body.write(ServerSentEvents.event("result", writer.bytes))
        body.finish()
      } else {
        steps.endArray()
        steps.key("result")
        steps.testResult(result)
        steps.endObject()
        call.respond(.json(200, steps.bytes))
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func testStep(_ step: TestPushStep) {
    beginObject()
    member("name", step.name.rawValue)
    member("ok", step.isGood)
    milliseconds("at_ms", nanoseconds: step.offset)
    member("text", step.text)
    endObject()
  }

  fileprivate mutating func testResult(_ result: TestPushResult) {
    beginObject()
    member("ok", result.result == .accepted)
    member("outcome", result.result.label.rawValue)
    member("text", result.text)
    optional("advice", result.advice)
    milliseconds("duration_ms", nanoseconds: result.duration)
    endObject()
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
