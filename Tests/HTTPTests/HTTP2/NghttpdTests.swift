import Crypto
import EventLoop
import Glibc
import TLS
import TestSupport
import Testing

@testable import HTTP

/// The client against a server that is not ours: nghttpd, from Debian's nghttp2-server.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(1)), .enabled(if: Nghttpd.isInstalled))
struct NghttpdTests {
  @Test func manyRequestsOverFewStreamsAndUploadsThatCrossWindows() throws {
    let server = try Nghttpd(["--max-concurrent-streams=7", "--echo-upload", "--trailer=x-end: yes"])
    let client = try server.client()
    // More at once than streams: the pool keeps to the server's limit.
    let small = try client.run((0..<300).map { Nghttpd.upload(Array("body \($0)".utf8)) })
    for (index, result) in small.enumerated() {
      let response = try result.get()
      #expect(response.status == 200)
      #expect(response.body == Array("body \(index)".utf8))
    }
    // Larger than the initial windows of stream and connection.
    let large = [UInt8](repeating: 0x5A, count: 200_000)
    let echoed = try client.run([Nghttpd.upload(large)])
    let isWhole = try echoed.first?.get().body == large
    #expect(isWhole)
    client.stop()
  }

  @Test func aStatusThatIsNoSuccessIsAnAnswer() throws {
    let server = try Nghttpd([])
    let client = try server.client()
    let request = HTTPRequest(method: "GET", path: "/missing", authority: "127.0.0.1", scheme: "https")
    #expect(try client.run([request]).first?.get().status == 404)
    client.stop()
  }

  @Test func aServerThatEndsAndComesBackIsUsedAgain() throws {
    let first = try Nghttpd(["--echo-upload"])
    let client = try first.client()
    #expect(try client.run([Nghttpd.upload([1])]).first?.get().body == [1])
    first.end()
    let second = try Nghttpd(["--echo-upload"], port: first.port)
    // The dead connection may be met once; the pool opens another.
    let results = try client.run([Nghttpd.upload([2])]) + client.run([Nghttpd.upload([3])])
    #expect(try results.last?.get().body == [3])
    withExtendedLifetime(second) {}
    client.stop()
  }
}

/// One nghttpd process with a certificate for 127.0.0.1.
private final class Nghttpd {
  static let path: String? = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd"].first { (path: String) -> Bool in
    access(path, X_OK) == 0
  }
  static var isInstalled: Bool {
    if path == nil {
      print("NOT RUN: nghttpd is missing; install Debian's nghttp2-server to run NghttpdTests")
    }
    return path != nil
  }
  private static let validity: Range<Int> = {
    let now = Int(WallClock.seconds())
    return now - 3600..<now + 86_400
  }()
  private static let authority = Result { try LoopbackCertificateAuthority(validity: validity) }

  let port: UInt16
  private let folder: TemporaryFolder
  private let process: ChildProcess

  static func upload(_ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(method: "POST", path: "/echo", authority: "127.0.0.1", scheme: "https", body: body)
  }

  init(_ options: [String], port: UInt16? = nil) throws {
    let program = try #require(Self.path)
    let issued = try Self.authority.get().issue(names: ["127.0.0.1"], validity: Self.validity)
    folder = try TemporaryFolder()
    try folder.write("key.pem", issued.privateKeyPEM)
    try folder.write("cert.pem", issued.certificatePEM)
    self.port = try port ?? Self.freePort()
    process = try ChildProcess(
      program,
      ["--verbose", "--address=127.0.0.1", "--htdocs=\(folder.path)"] + options
        + ["\(self.port)", folder.path + "/key.pem", folder.path + "/cert.pem"])
    guard process.waitForOutput("listen") else {
      throw TestSupportError("nghttpd did not start: \(process.text)")
    }
  }

  func end() {
    process.kill(SIGKILL)
    _ = process.wait()
  }

  func client() throws -> Client { try Client(port: port, authority: Self.authority.get().certificatePEM) }

  private static func freePort() throws -> UInt16 {
    let loop = try EventLoop()
    let address = try #require(SocketAddress(ip: "127.0.0.1", port: 0))
    let listener = try Listener(loop: loop, address: address)
    defer { listener.close() }
    return listener.localAddress.port
  }

  /// An HTTP2Client on a loop of its own.
  final class Client {
    private let thread: LoopThread
    private let client: LoopBound<HTTP2Client>

    init(port: UInt16, authority: String) throws {
      thread = try LoopThread(name: "nghttpd-client")
      let tls = try TLSContext.client(trust: .pem(authority), protocols: ["h2"])
      let loop = thread.loop
      client = loop.runAndWait {
        var configuration = HTTP2Client.Configuration()
        configuration.requiresALPN = true
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

    func run(_ requests: [HTTPRequest]) throws -> [Result<HTTPResponse, HTTP2ClientError>] {
      let waiting = requests.map { request in
        let result = Rendezvous<Result<HTTPResponse, HTTP2ClientError>>()
        client.run { client in
          client.send(request, deadline: .now() + .seconds(20)) { result.give($0) }
        }
        return result
      }
      return waiting.map { $0.wait() }
    }

    func stop() {
      let done = Rendezvous<Bool>()
      client.run { $0.shutdown { done.give(true) } }
      _ = done.wait()
      thread.stopAndJoin()
    }
  }
}
