import Configuration
import EventLoop
import Glibc

/// One HTTP request to the server on this machine, with blocking calls and a bound on all of it.
struct HealthProbe {
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

  private let address: SocketAddress?
  private let place: String

  /// - Parameter listen: an unspecified address stands for this machine.
  init(_ listen: ListenAddress) {
    let ip = listen.ip == "0.0.0.0" ? "127.0.0.1" : listen.ip == "::" ? "::1" : listen.ip
    address = SocketAddress(ip: ip, port: listen.port)
    place = "\(listen)"
  }

  func get(_ path: String, isJSON: Bool) throws(Failure) -> Answer {
    guard let address else { throw Failure(description: "server.listen: \(place) is no address") }
    let request =
      "GET \(path) HTTP/1.1\r\nhost: \(address)\r\nconnection: close\r\n"
      + (isJSON ? "accept: application/json\r\n" : "") + "\r\n"
    let answer: [UInt8]
    do throws(SystemError) {
      answer = try BlockingExchange.run(
        address, Array(request.utf8), timeout: Self.timeout, limit: Self.maximumBytes)
    } catch {
      throw Failure(description: "nothing answers at \(address): \(error)")
    }
    let text = String(decoding: answer, as: UTF8.self)
    // RFC 9112, section 4: HTTP-version SP status-code SP.
    guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)),
      let end = text.firstRange(of: "\r\n\r\n")?.upperBound
    else { throw Failure(description: "what answers at \(address) is no HTTP server") }
    return Answer(status: status, text: String(text[end...]))
  }
}
