import Bytes
import Crypto
import EventLoop
import Gateways
import HTTP
import JSON
import MockGateway
import TLS
import Testing

/// One set for all tests: an RSA key takes a while to make.
private let sharedCredentials = Result { try MockGateway.Credentials.generate() }

/// A mock whose clock the test can turn, and the credentials a push server would have for it.
final class Fixture: Sendable {
  let mock: MockGateway
  let account: ServiceAccount
  private let time: Locked<UInt64>

  init(_ change: (inout MockGateway.Configuration) -> Void = { _ in }) throws {
    let time = Locked(WallClock.seconds())
    self.time = time
    var configuration = MockGateway.Configuration()
    configuration.credentials = try sharedCredentials.get()
    configuration.clock = { time.withLock { $0 } }
    change(&configuration)
    mock = try MockGateway.start(configuration)
    account = try ServiceAccount(json: mock.serviceAccountJSON)
  }

  deinit {
    mock.stop()
  }

  var now: UInt64 { time.withLock { $0 } }

  func advance(_ seconds: UInt64) {
    time.withLock { $0 += seconds }
  }

  func client(
    _ service: MockGateway.Service, _ change: (inout HTTP2Client.Configuration) -> Void = { _ in }
  ) throws -> TestClient {
    try TestClient(mock, service, change)
  }

  // MARK: Requests

  func provider(issuedAt: UInt64? = nil) throws -> APNsProviderToken {
    let time = issuedAt ?? now
    return APNsProviderToken(
      teamID: mock.credentials.apnsTeamID, keyID: mock.credentials.apnsKeyID,
      key: try P256PrivateKey(pem: mock.apnsKeyPEM), clock: { time })
  }

  /// A push as pushbox makes it.
  func apnsPush(
    _ token: String = apnsToken(1), authorization: String? = nil,
    at service: MockGateway.Service = .apnsProduction
  ) throws -> HTTPRequest {
    let authorization = try authorization ?? provider().authorization()
    guard case .content(let payload, _) = APNsPayload.build(notification, oversize: .reject) else {
      throw FixtureError.oversize
    }
    let request = APNsRequest.build(
      push(token), payload: payload, authority: mock.authority(of: service),
      topic: mock.credentials.apnsTopic, authorization: authorization)
    return try #require(request)
  }

  func fcmPush(_ token: String = "device:1", accessToken: String) throws -> HTTPRequest {
    guard case .content(let message, _) = FCMPayload.build(notification, oversize: .reject) else {
      throw FixtureError.oversize
    }
    return FCMRequest.build(
      body: FCMPayload.body(
        message, token: token, id: "push-id", lifetime: NotificationLifetime(60, from: now)),
      authority: mock.authority(of: .fcm),
      path: FCMRequest.path(projectID: account.projectID), authorization: "Bearer " + accessToken)
  }

  func accessToken(_ client: TestClient) async throws -> String {
    let response = try await client.send(
      try FCMTokenExchange.request(for: account, now: now)
    ).get()
    guard
      case .token(let token, _) = FCMTokenExchange.result(
        status: response.status, body: response.body, now: now)
    else { throw FixtureError.noToken }
    return token
  }
}

enum FixtureError: Error {
  case oversize
  case noToken
}

let notification = Gateways.Notification.raw(topic: "topic-1", tag: 1108, message: "c2VjcmV0")

/// 64 hex digits that end in `number`.
func apnsToken(_ number: Int) -> String {
  let digits = Hex.encode([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
  return String(repeating: "ab", count: 30) + digits
}

private func push(_ token: String) -> GatewayPush {
  GatewayPush(
    id: PushID(messageID: "message", clientID: token), deviceToken: token, notification: notification,
    lifetime: NotificationLifetime(600, from: WallClock.seconds()), deadline: .now() + .seconds(10))
}

extension HTTPResponse {
  var json: JSONValue? { try? JSON.parse(body) }
  /// APNs' reason.
  var reason: String? { json?["reason"]?.stringValue }
}

typealias Answer = Result<HTTPResponse, HTTP2ClientError>

extension Result where Success == HTTPResponse, Failure == HTTP2ClientError {
  var status: Int? { try? get().status }
  var reason: String? { try? get().reason }

  var error: HTTP2ClientError? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}

/// An HTTP/2 client of one service on a loop of its own: one connection, and nothing sent twice.
final class TestClient: Sendable {
  let loop: EventLoop
  private let thread: LoopThread
  private let client: LoopBound<HTTP2Client>

  init(
    _ mock: MockGateway, _ service: MockGateway.Service, _ change: (inout HTTP2Client.Configuration) -> Void
  ) throws {
    var configuration = HTTP2Client.Configuration()
    configuration.maxConnections = 1
    configuration.maxRefusals = 0
    change(&configuration)
    let tls = try TLSContext.client(trust: .pem(mock.caCertificatePEM), protocols: ["h2"])
    let port = mock.port(of: service)
    thread = try LoopThread(name: "test-client")
    loop = thread.loop
    let client = HTTP2Client(loop: thread.loop, configuration: configuration) { loop, delegate in
      let transport = SocketTransport.connect(
        loop: loop, host: MockGateway.host, port: port, timeout: .seconds(5)
      ) { tls.makeLayer(fd: $0, serverName: MockGateway.host) }
      transport.delegate = delegate
      return transport
    }
    self.client = LoopBound(client, loop: thread.loop)
  }

  deinit {
    // The thread keeps the loop and must end from elsewhere than itself.
    thread.stopAndJoin()
  }

  func send(_ request: HTTPRequest, timeout: Duration = .seconds(10)) async -> Answer {
    await withCheckedContinuation { continuation in
      client.run { client in
        client.send(request, deadline: .now() + timeout) { continuation.resume(returning: $0) }
      }
    }
  }

  /// Sends all of them in one turn of the loop.
  func sendAll(_ requests: [HTTPRequest], timeout: Duration = .seconds(10)) async -> [Answer] {
    guard !requests.isEmpty else { return [] }
    return await withCheckedContinuation { continuation in
      client.run { client in
        let answers = Locked([Answer?](repeating: nil, count: requests.count))
        for (index, request) in requests.enumerated() {
          client.send(request, deadline: .now() + timeout) { answer in
            let all = answers.withLock { answers -> [Answer]? in
              answers[index] = answer
              let done = answers.compactMap { $0 }
              return done.count == answers.count ? done : nil
            }
            if let all { continuation.resume(returning: all) }
          }
        }
      }
    }
  }

  func counters() async -> HTTP2Client.Counters {
    await withCheckedContinuation { continuation in
      client.run { continuation.resume(returning: $0.counters) }
    }
  }
}
