import EventLoop
import HTTP
import TestSupport

/// Requests one after the other over HTTP/2 on a TLS connection.
final class HTTP2Caller {
  private let connection: TLSConnection
  private let session: HTTP2ClientSession
  private var consumed = 0

  init(_ connection: TLSConnection) throws {
    self.connection = connection
    session = try HTTP2ClientSession()
    connection.send(try session.nextOutput())
  }

  /// The status of the answer.
  func send(
    _ method: String, _ path: String, _ fields: [(name: String, value: String)] = [], _ body: [UInt8] = []
  ) throws -> Int {
    var request = HTTPRequest(method: method, path: path, authority: "localhost", scheme: "https", body: body)
    for field in fields { request.fields.add(field.name.lowercased(), field.value) }
    let stream = try session.submit(request)
    while true {
      connection.send(try session.nextOutput())
      let known = consumed
      guard connection.waitForBytes({ $0.count > known }) else {
        throw TestSupportError("the connection ended: \(connection.failure ?? "cleanly")")
      }
      let bytes = connection.received
      try session.receive(Array(bytes[consumed...]).span)
      consumed = bytes.count
      while let event = session.nextEvent() {
        switch event {
        case .response(stream, let response): return response.status
        case .streamClosed(stream, let failure?): throw TestSupportError("\(failure)")
        default: break
        }
      }
    }
  }
}
