import EventLoop
import Glibc
import HTTP

/// The least that a server on this HTTP stack does: it shows what the driver can drive.
final class NullServer: HTTPHandler {
  private static let response = HTTPResponse.json(
    202, Array(#"{"status":"SUCCESS","errors":null,"fields":null}"#.utf8))

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    responder.respond(Self.response)
  }

  /// Serves until SIGTERM or SIGINT; prints its address first.
  static func run(port: UInt16) throws {
    let loop = try EventLoop()
    let handler = NullServer()
    let server = HTTPServer(loop: loop, handler: handler)
    guard let address = SocketAddress(ip: "127.0.0.1", port: port) else { return }
    try server.start(at: address)
    let source = try SignalSource(loop: loop, signals: [SIGTERM, SIGINT]) { _ in loop.stop() }
    Console.print(server.localAddress?.description ?? "")
    loop.run()
    source.cancel()
  }
}
