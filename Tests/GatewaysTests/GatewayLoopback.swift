import Bytes
import Crypto
import EventLoop
import Gateways
import HTTP
import TLS
import Testing

/// TLS for servers on the loopback interface, and for clients that trust them.
enum LoopbackTLS {
  /// From an hour ago until tomorrow.
  static let validity: Range<Int> = {
    let now = Int(WallClock.seconds())
    return now - 3600..<now + 86_400
  }()

  static let authority = try? LoopbackCertificateAuthority(validity: validity)

  static func server(protocols: [String] = ["h2"]) throws -> TLSContext {
    let issued = try #require(authority).issue(names: ["127.0.0.1"], validity: validity)
    return try TLSContext.server(
      certificateChain: issued.certificatePEM, privateKey: issued.privateKeyPEM, protocols: protocols)
  }

  static func client() throws -> TLSContext {
    try GatewayEndpoint.tlsContext(trust: .pem(try #require(authority).certificatePEM))
  }
}

/// What the scripted server does with a request.
enum ScriptedAnswer: Sendable {
  case respond(HTTPResponse)
  case respondLater(HTTPResponse, Duration)
  /// Never answers.
  case silence

  static func json(_ status: Int, _ body: String) -> ScriptedAnswer {
    .respond(.json(status, Array(body.utf8)))
  }
}

/// An HTTP/2 server over TLS on a loop of its own, whose answers the test decides. Keeps the requests.
final class ScriptedGateway: Sendable {
  typealias Script = @Sendable (HTTPRequest) -> ScriptedAnswer

  let endpoint: GatewayEndpoint
  private let thread: LoopThread
  private let server: LoopBound<HTTPServer>
  private let received: Locked<[HTTPRequest]>

  private final class Handler: HTTPHandler {
    private let script: Script
    private let received: Locked<[HTTPRequest]>
    private let loop: EventLoop
    private var unanswered: [HTTPResponder] = []

    init(loop: EventLoop, received: Locked<[HTTPRequest]>, script: @escaping Script) {
      self.loop = loop
      self.received = received
      self.script = script
    }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      received.withLock { $0.append(request) }
      switch script(request) {
      case .respond(let response): responder.respond(response)
      case .respondLater(let response, let delay):
        loop.schedule(after: delay) { responder.respond(response) }
      case .silence: unanswered.append(responder)
      }
    }
  }

  init(tls: TLSContext? = nil, _ script: @escaping Script) async throws {
    let tls = try tls ?? LoopbackTLS.server()
    let thread = try LoopThread(name: "scripted")
    let received = Locked<[HTTPRequest]>([])
    let address = try #require(SocketAddress(ip: "127.0.0.1", port: 0))
    let (server, port) = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(LoopBound<HTTPServer>, UInt16), any Error>) in
      thread.loop.execute {
        let handler = Handler(loop: thread.loop, received: received, script: script)
        let server = HTTPServer(loop: thread.loop, handler: handler) { tls.makeLayer(fd: $0) }
        do throws(SystemError) {
          try server.start(at: address)
          let port = server.localAddress?.port ?? 0
          continuation.resume(returning: (LoopBound(server, loop: thread.loop), port))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    self.thread = thread
    self.received = received
    self.server = server
    endpoint = try GatewayEndpoint(url: "https://127.0.0.1:\(port)")
  }

  var requests: [HTTPRequest] { received.withLock { $0 } }

  func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.path == path } }

  /// Stops listening, so that connecting is refused from then on.
  func stop() async {
    await withCheckedContinuation { continuation in
      server.run { server in server.stop(grace: .milliseconds(10)) { continuation.resume() } }
    }
    thread.stopAndJoin()
  }
}

/// A gateway client on a loop of its own.
final class Worker: Sendable {
  private struct Content {
    var gateway: any Gateway
    var http: HTTP2Client
  }

  private let thread: LoopThread
  private let content: LoopBound<Content>

  init(_ make: @escaping @Sendable (EventLoop) -> (any Gateway, HTTP2Client)) async throws {
    let thread = try LoopThread(name: "worker")
    self.thread = thread
    content = await withCheckedContinuation { continuation in
      thread.loop.execute {
        let (gateway, http) = make(thread.loop)
        continuation.resume(returning: LoopBound(Content(gateway: gateway, http: http), loop: thread.loop))
      }
    }
  }

  /// Delivers a push; a completion that comes twice stops the test, one that comes within `deliver` fails it.
  func deliver(_ push: GatewayPush) async -> GatewayOutcome {
    await withCheckedContinuation { continuation in
      content.run { content in
        var hasReturned = false
        content.gateway.deliver(push) { outcome in
          #expect(hasReturned)
          continuation.resume(returning: outcome)
        }
        hasReturned = true
      }
    }
  }

  var counters: HTTP2Client.Counters {
    get async {
      await withCheckedContinuation { continuation in
        content.run { continuation.resume(returning: $0.http.counters) }
      }
    }
  }

  func shutdown() async {
    await withCheckedContinuation { continuation in
      content.run { content in content.gateway.shutdown { continuation.resume() } }
    }
  }

  /// Shuts the client down and ends the loop.
  func stop() async {
    await shutdown()
    thread.stopAndJoin()
  }
}

/// Pushes with all but the point of the test filled in.
enum SamplePush {
  static let deviceToken = String(repeating: "ab", count: 32)

  static func make(
    _ number: UInt8 = 1, deviceToken: String = deviceToken, message: String = "aGVsbG8=",
    lifetime: NotificationLifetime = .init(0, from: 0), within: Duration = .seconds(20)
  ) throws -> GatewayPush {
    GatewayPush(
      id: try #require(PushID(Array(repeating: number, count: 16))), deviceToken: deviceToken,
      notification: .raw(topic: "0f0e", tag: 4002, message: message), lifetime: lifetime,
      deadline: .now() + within)
  }
}
