import EventLoop
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// The client against nginx, from Debian's nginx-light.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10)), .enabled(if: Nginx.isInstalled))
struct NginxTests {
  private func get(_ path: String) -> HTTPRequest {
    HTTPRequest(method: "GET", path: path, authority: "127.0.0.1", scheme: "https")
  }

  private func put(_ path: String, _ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(method: "PUT", path: path, authority: "127.0.0.1", scheme: "https", body: body)
  }

  private func statuses(_ answers: [ForeignPeerClient.Answer]) -> [String: Int] {
    answers.reduce(into: [:]) { counts, answer in
      switch answer {
      case .success(let response): counts["\(response.status)", default: 0] += 1
      case .failure(let error): counts["\(error)", default: 0] += 1
      }
    }
  }

  @Test func aThousandStreamsAtOnce() throws {
    let server = try Nginx()
    let client = try server.client()
    let answers = try client.run((0..<1000).map { get("/say/\($0)") })
    for (index, answer) in answers.enumerated() {
      let response = try answer.get()
      #expect(response.status == 200)
      #expect(response.body == Array("/say/\(index)".utf8))
    }
    #expect(client.counters.connectionsOpened <= 4)
    client.stop()
  }

  @Test func largeBodiesBothWays() throws {
    let server = try Nginx()
    let client = try server.client()
    // Each many times the windows of stream and connection.
    let bodies = (0..<4).map { seed in
      (0..<1_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 >> 8) ^ seed) }
    }
    #expect(statuses(try client.run(bodies.indices.map { put("/files/\($0)", bodies[$0]) })) == ["201": 4])
    let answers = try client.run(bodies.indices.map { get("/files/\($0)") })
    for (body, answer) in zip(bodies, answers) {
      let isWhole = try answer.get().body == body
      #expect(isWhole)
    }
    client.stop()
  }

  /// nginx sends GOAWAY after each ten requests, and leaves unread what came after the tenth.
  @Test(arguments: [1, 10]) func connectionsOfFewRequestsLoseNone(requests: Int) throws {
    let server = try Nginx("keepalive_requests \(requests);")
    let client = try server.client()
    let count = 30 * requests
    #expect(statuses(try client.run((0..<count).map { get("/say/\($0)") })) == ["200": count])
    #expect(client.counters.connectionsOpened >= 30)
    client.stop()
  }

  @Test func theServersStreamLimitIsKept() throws {
    let server = try Nginx("http2_max_concurrent_streams 2;")
    let client = try server.client()
    #expect(statuses(try client.run((0..<200).map { get("/say/\($0)") })) == ["200": 200])
    client.stop()
  }

  /// A reload ends the old workers: GOAWAY on connections that are in use.
  @Test func reloadsUnderLoadLoseNothing() throws {
    let server = try Nginx()
    let client = try server.client()
    #expect(statuses(try client.run([get("/say/0")])) == ["200": 1])
    for round in 1...5 {
      // So slow that the reload finds them under way.
      let waiting = client.begin((0..<20).map { put("/files/\(round).\($0)", Self.slow) })
      server.signal(SIGHUP)
      let answers = waiting.map { $0.wait() }
      #expect(statuses(answers) == ["201": 20], "round \(round)")
      #expect(server.waitForLog("gracefully shutting down", times: round))
    }
    client.stop()
  }

  private static let slow = [UInt8](repeating: 0x61, count: 300_000)

  @Test func aServerThatShutsDownAndComesBackIsUsedAgain() throws {
    let first = try Nginx()
    let client = try first.client()
    #expect(statuses(try client.run([get("/say/1")])) == ["200": 1])
    let waiting = client.begin((0..<20).map { put("/files/\($0)", Self.slow) })
    // Finishes what it has read of, and takes no more.
    first.signal(SIGQUIT)
    for answer in waiting.map({ $0.wait() }) {
      // Those that it did not take found nobody else.
      if case .failure(let error) = answer {
        #expect("\(error)".contains("refused") || "\(error)".contains("connect"), "\(error)")
      }
    }
    #expect(first.waitForEnd() == 0)
    let second = try Nginx(port: first.port)
    #expect(statuses(try client.run((0..<50).map { get("/say/\($0)") })) == ["200": 50])
    withExtendedLifetime(second) {}
    client.stop()
  }

  /// An answer before the request's body was sent: nginx resets the stream with NO_ERROR.
  @Test func anEarlyAnswerIsOne() throws {
    let server = try Nginx("client_max_body_size 1k;")
    let client = try server.client()
    let large = [UInt8](repeating: 1, count: 500_000)
    #expect(statuses(try client.run((0..<5).map { put("/files/\($0)", large) })) == ["413": 5])
    #expect(statuses(try client.run([get("/say/1")])) == ["200": 1])
    client.stop()
  }
}

/// One nginx with all its files in a folder of its own, on a port of the loopback interface.
private final class Nginx {
  static let path: String? = ["/usr/sbin/nginx", "/usr/bin/nginx"].first { (path: String) -> Bool in
    access(path, X_OK) == 0
  }
  static var isInstalled: Bool {
    if path == nil { print("NOT RUN: nginx is missing; install Debian's nginx-light to run NginxTests") }
    return path != nil
  }

  let port: UInt16
  private let folder: TemporaryFolder
  private let process: ChildProcess

  /// - Parameters:
  ///   - settings: of the server block.
  ///   - port: a free one by default.
  init(_ settings: String = "", port: UInt16? = nil) throws {
    let program = try #require(Self.path)
    let issued = try ForeignPeer.issue()
    folder = try TemporaryFolder()
    try folder.write("key.pem", issued.privateKeyPEM)
    try folder.write("cert.pem", issued.certificatePEM)
    mkdir(folder.path + "/files", 0o700)
    var started: ChildProcess?
    var chosen: UInt16 = 0
    // Another process may take a free port before nginx does.
    for _ in 0..<5 where started == nil {
      chosen = try port ?? ForeignPeer.freePort()
      try folder.write("nginx.conf", Self.configuration(folder.path, chosen, settings))
      let process = try ChildProcess(
        program,
        ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-g", "daemon off; error_log stderr notice;"])
      if process.waitForOutput("start worker process ") { started = process }
      if started == nil, !process.text.contains("Address already in use") {
        throw TestSupportError("nginx did not start: \(process.text)")
      }
    }
    guard let started else { throw TestSupportError("nginx found no free port") }
    self.port = chosen
    process = started
  }

  deinit {
    // Its workers end with it; SIGKILL would leave them.
    process.kill(SIGTERM)
    _ = process.wait()
  }

  private static func configuration(_ folder: String, _ port: UInt16, _ settings: String) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n  ")
    return """
      \(getuid() == 0 ? "user root;" : "")
      worker_processes 1;
      pid \(folder)/nginx.pid;
      events { worker_connections 256; }
      http {
        \(temporary)
        access_log off;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(folder)/cert.pem;
          ssl_certificate_key \(folder)/key.pem;
          \(settings.contains("client_max_body_size") ? "" : "client_max_body_size 10m;")
          \(settings)
          location /say/ { return 200 $uri; }
          location /files/ { root \(folder); dav_methods PUT; }
        }
      }
      """
  }

  func client() throws -> ForeignPeerClient {
    try ForeignPeerClient(port: port, authority: ForeignPeer.authority.get().certificatePEM)
  }

  func signal(_ signal: Int32) {
    process.kill(signal)
  }

  func waitForEnd() -> Int32 { process.wait() }

  /// Waits until its log has said `pattern` so often.
  func waitForLog(_ pattern: String, times: Int) -> Bool {
    let deadline = MonotonicTime.now() + .seconds(30)
    while process.text.ranges(of: pattern).count < times {
      guard MonotonicTime.now() < deadline else { return false }
      sched_yield()
    }
    return true
  }
}
