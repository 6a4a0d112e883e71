import EventLoop
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// The client against a server that is not ours: nghttpd, from Debian's nghttp2-server.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10)), .enabled(if: Nghttpd.isInstalled))
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
    // The dead connection may be met once, and the pause after an attempt that came before the second server; then the
    // pool opens another.
    let end = MonotonicTime.now() + .seconds(20)
    var answer: HTTPResponse?
    while answer == nil, MonotonicTime.now() < end {
      answer = try? client.run([Nghttpd.upload([2])]).first?.get()
    }
    #expect(answer?.body == [2])
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
  let port: UInt16
  private let folder: TemporaryFolder
  private let process: ChildProcess

  static func upload(_ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(method: "POST", path: "/echo", authority: "127.0.0.1", scheme: "https", body: body)
  }

  init(_ options: [String], port: UInt16? = nil) throws {
    let program = try #require(Self.path)
    let issued = try ForeignPeer.issue()
    folder = try TemporaryFolder()
    try folder.write("key.pem", issued.privateKeyPEM)
    try folder.write("cert.pem", issued.certificatePEM)
    self.port = try port ?? ForeignPeer.freePort()
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

  func client() throws -> ForeignPeerClient {
    try ForeignPeerClient(port: port, authority: ForeignPeer.authority.get().certificatePEM)
  }
}
