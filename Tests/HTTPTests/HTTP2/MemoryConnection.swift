import EventLoop
import HTTP

/// A client and a server session joined in memory.
final class MemoryConnection {
  let client: HTTP2ClientSession
  let server: HTTP2ServerSession
  var clientEvents: [HTTP2ClientEvent] = []
  var serverEvents: [HTTP2ServerEvent] = []
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// Bytes of the client's output so far.
  var clientBytes = 0
  /// Called for each request as it comes.
  var onRequest: ((Int32, HTTPRequest) -> Void)?

  init(
    client: HTTP2ClientSession.Configuration = .init(), server: HTTP2ServerSession.Configuration = .init()
  ) throws {
    self.client = try HTTP2ClientSession(client)
    self.server = try HTTP2ServerSession(server)
  }

  /// Moves bytes both ways until nothing moves.
  func pump(chunk: Int = 65_536) throws {
    while true {
      let up = try client.nextOutput(limit: 16_384)
      clientBytes += up.count
      for start in stride(from: 0, to: up.count, by: chunk) {
        let part = Array(up[start..<min(up.count, start + chunk)])
        try server.receive(part.span, now: now)
      }
      drainServer()
      let down = try server.nextOutput(limit: 16_384)
      for start in stride(from: 0, to: down.count, by: chunk) {
        let part = Array(down[start..<min(down.count, start + chunk)])
        try client.receive(part.span)
      }
      drainClient()
      drainServer()
      if up.isEmpty && down.isEmpty { return }
    }
  }

  private func drainClient() {
    while let event = client.nextEvent() { clientEvents.append(event) }
  }

  private func drainServer() {
    while let event = server.nextEvent() {
      serverEvents.append(event)
      switch event {
      case .request(let stream, let request): onRequest?(stream, request)
      case .requestRefused(let stream, let status): server.respond(stream, .empty(status))
      default: break
      }
    }
  }

  var responses: [Int32: HTTPResponse] {
    var found: [Int32: HTTPResponse] = [:]
    for case .response(let stream, let response) in clientEvents { found[stream] = response }
    return found
  }

  /// How each stream ended; the inner nil means with a response.
  var closed: [Int32: HTTP2StreamFailure?] {
    var found: [Int32: HTTP2StreamFailure?] = [:]
    for case .streamClosed(let stream, let failure) in clientEvents { found[stream] = .some(failure) }
    return found
  }

  var requests: [(stream: Int32, request: HTTPRequest)] {
    serverEvents.compactMap {
      if case .request(let stream, let request) = $0 { (stream, request) } else { nil }
    }
  }

  var maxStreams: [Int] {
    clientEvents.compactMap { if case .settings(let count) = $0 { count } else { nil } }
  }
}

func post(_ path: String, _ body: [UInt8] = Array("{}".utf8), _ fields: HTTPFields = []) -> HTTPRequest {
  HTTPRequest(
    method: "POST", path: path, authority: "gateway.test", scheme: "https", fields: fields, body: body)
}

/// Hand-made frames (RFC 9113, section 4.1).
func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
  let length = payload.count
  return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
    + [UInt8(stream >> 24), UInt8(stream >> 16 & 0xFF), UInt8(stream >> 8 & 0xFF), UInt8(stream & 0xFF)]
    + payload
}

let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
