import Configuration
import EventLoop
import Glibc
import TLS

/// One HTTP request to the server on this machine, with a bound on all of it.
final class HealthProbe: TransportDelegate {
  struct Answer {
    var status: Int
    var text: String
  }

  struct Failure: Error {
    let description: String
  }

  private static let timeout = Duration.seconds(5)
  /// More than any answer to the questions asked here.
  private static let maximumBytes = 65_536

  private let loop: EventLoop
  private let request: [UInt8]
  private var answer: [UInt8] = []
  private var failure: String?

  private init(loop: EventLoop, request: [UInt8]) {
    self.loop = loop
    self.request = request
  }

  /// Asks the server of `configuration` for `path`.
  static func get(_ path: String, isJSON: Bool, _ configuration: Configuration) throws(Failure) -> Answer {
    guard let listen = configuration.server.listen.first else {
      throw Failure(description: "server.listen names no address")
    }
    // An unspecified address stands for this machine.
    let ip = listen.ip == "0.0.0.0" ? "127.0.0.1" : listen.ip == "::" ? "::1" : listen.ip
    let request =
      "GET \(path) HTTP/1.1\r\nhost: \(configuration.server.publicURL.host)\r\nconnection: close\r\n"
      + (isJSON ? "accept: application/json\r\n" : "") + "\r\n"
    let loop: EventLoop
    do throws(SystemError) {
      loop = try EventLoop()
    } catch {
      throw Failure(description: "\(error)")
    }
    let probe = HealthProbe(loop: loop, request: Array(request.utf8))
    let transport = SocketTransport.connect(
      loop: loop, host: ip, port: listen.port, timeout: timeout, makeLayer: try layer(configuration))
    transport.delegate = probe
    loop.schedule(after: timeout) {
      probe.failure = "no answer within 5 seconds"
      loop.stop()
    }
    loop.run()
    return try withExtendedLifetime(transport) { () throws(Failure) in
      try probe.result(at: "\(ip):\(listen.port)")
    }
  }

  /// With `[tls]`, trusts what its file holds and nothing else: the server must show the certificate that is
  /// configured.
  private static func layer(
    _ configuration: Configuration
  ) throws(Failure) -> SocketTransport.LayerFactory? {
    guard let tls = configuration.tls else { return nil }
    do throws(TLSError) {
      let context = try TLSContext.client(trust: .exactly(file: tls.certificateFile), protocols: ["http/1.1"])
      let host = configuration.server.publicURL.host
      return { context.makeLayer(fd: $0, serverName: host) }
    } catch {
      throw Failure(description: "tls.certificate_file: \(error)")
    }
  }

  private func result(at place: String) throws(Failure) -> Answer {
    if let failure { throw Failure(description: "nothing answers at \(place): \(failure)") }
    let text = String(decoding: answer, as: UTF8.self)
    // RFC 9112, section 4: HTTP-version SP status-code SP.
    guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)),
      let end = text.firstRange(of: "\r\n\r\n")?.upperBound
    else { throw Failure(description: "what answers at \(place) is no HTTP server") }
    return Answer(status: status, text: String(text[end...]))
  }

  // MARK: Transport

  func transportDidConnect(_ transport: any Transport) {
    transport.write(request)
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    for index in bytes.indices where answer.count < Self.maximumBytes { answer.append(bytes[index]) }
  }

  func transportDidReadEOF(_ transport: any Transport) {
    transport.close()
  }

  func transportDidDrain(_ transport: any Transport) {}

  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    if answer.isEmpty { failure = error.map { "\($0)" } ?? "the connection was closed" }
    loop.stop()
  }
}
