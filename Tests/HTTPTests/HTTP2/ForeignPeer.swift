import Crypto
import EventLoop
import HTTP
import TLS
import Testing

/// What the tests against servers that are not ours have in common.
enum ForeignPeer {
  private static let validity: Range<Int> = {
    let now = Int(WallClock.seconds())
    return now - 3600..<now + 86_400
  }()
  static let authority = Result { try LoopbackCertificateAuthority(validity: validity) }

  /// A certificate for 127.0.0.1.
  static func issue() throws -> IssuedCertificate {
    try authority.get().issue(names: ["127.0.0.1"], validity: validity)
  }

  /// A port that was free a moment ago.
  static func freePort() throws -> UInt16 {
    let loop = try EventLoop()
    let address = try #require(SocketAddress(ip: "127.0.0.1", port: 0))
    let listener = try Listener(loop: loop, address: address)
    defer { listener.close() }
    return listener.localAddress.port
  }
}

/// An HTTP2Client on a loop of its own, which may be called from any thread.
final class ForeignPeerClient: Sendable {
  typealias Answer = Result<HTTPResponse, HTTP2ClientError>

  private let thread: LoopThread
  private let client: LoopBound<HTTP2Client>

  init(
    port: UInt16, authority: String,
    _ change: @escaping @Sendable (inout HTTP2Client.Configuration) -> Void = { _ in }
  ) throws {
    thread = try LoopThread(name: "foreign-client")
    let tls = try TLSContext.client(trust: .pem(authority), protocols: ["h2"])
    let loop = thread.loop
    client = loop.runAndWait {
      var configuration = HTTP2Client.Configuration()
      configuration.requiresALPN = true
      change(&configuration)
      let client = HTTP2Client(loop: loop, configuration: configuration) { loop, delegate in
        let transport = SocketTransport.connect(
          loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(5),
          makeLayer: { tls.makeLayer(fd: $0, serverName: "127.0.0.1") })
        transport.delegate = delegate
        return transport
      }
      return LoopBound(client, loop: loop)
    }
  }

  /// Begins all of them in one turn of the loop.
  func begin(_ requests: [HTTPRequest]) -> [Rendezvous<Answer>] {
    let waiting = requests.map { (request: $0, answer: Rendezvous<Answer>()) }
    client.run { client in
      for (request, answer) in waiting {
        client.send(request, deadline: .now() + .seconds(30)) { answer.give($0) }
      }
    }
    return waiting.map(\.answer)
  }

  func run(_ requests: [HTTPRequest]) throws -> [Answer] {
    begin(requests).map { $0.wait() }
  }

  var counters: HTTP2Client.Counters {
    let counters = Rendezvous<HTTP2Client.Counters>()
    client.run { counters.give($0.counters) }
    return counters.wait()
  }

  func stop() {
    let done = Rendezvous<Bool>()
    client.run { $0.shutdown { done.give(true) } }
    _ = done.wait()
    thread.stopAndJoin()
  }
}
