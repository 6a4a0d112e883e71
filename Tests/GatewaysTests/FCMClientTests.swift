import Bytes
import Crypto
import EventLoop
import Gateways
import HTTP
import JSON
import TLS
import Testing

@Suite(.timeLimit(.minutes(10))) struct FCMClientTests {
  private let clock = TestClock(1000)

  private static let tokenPath = "/token"
  private static let sendPath = "/v1/projects/wallet-1234/messages:send"

  private func source(_ endpoint: GatewayEndpoint) throws -> FCMAccessTokenSource {
    let json = SampleAccount.json("token_uri", .string("https://\(endpoint)\(Self.tokenPath)"))
    return FCMAccessTokenSource(account: try ServiceAccount(json: json), clock: { [clock] in clock.now })
  }

  private func worker(_ endpoint: GatewayEndpoint, _ source: FCMAccessTokenSource) async throws -> Worker {
    let tls = try LoopbackTLS.client()
    return try await Worker { loop in
      let http = endpoint.makeClient(
        loop: loop, tls: tls, configuration: FCMClient.connectionConfiguration)
      let client = FCMClient(
        loop: loop, endpoint: endpoint, http: http, source: source,
        tokenHTTP: source.account.tokenEndpoint.endpoint.makeClient(loop: loop, tls: tls), oversize: .trim,
        clock: { 1_767_323_045 })
      return (client, http)
    }
  }

  /// A token endpoint that numbers its tokens, and a gateway that takes those that `isValid` likes.
  private func server(
    tokenDelay: Duration = .zero, isValid: @escaping @Sendable (String?) -> Bool = { _ in true }
  ) async throws -> ScriptedGateway {
    let issued = Locked(0)
    return try await ScriptedGateway { request in
      guard request.path == Self.tokenPath else {
        return isValid(request.fields.first("authorization"))
          ? .json(200, #"{"name":"projects/wallet-1234/messages/1"}"#)
          : .json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#)
      }
      let number = issued.withLock { issued in
        issued += 1
        return issued
      }
      let body = #"{"access_token":"t\#(number)","expires_in":3599}"#
      return .respondLater(.json(200, Array(body.utf8)), tokenDelay)
    }
  }

  @Test func aPushIsAccepted() async throws {
    let server = try await server()
    let worker = try await worker(server.endpoint, source(server.endpoint))
    #expect(
      await worker.deliver(
        try SamplePush.make(deviceToken: "fcm:token", lifetime: .init(300, from: 1_767_323_045))) == .accepted
    )
    #expect(await worker.deliver(try SamplePush.make(deviceToken: "fcm:token")) == .accepted)
    #expect(server.requests(to: Self.tokenPath).count == 1)
    let pushes = server.requests(to: Self.sendPath)
    try #require(pushes.count == 2)
    #expect(pushes[0].fields.first("authorization") == "Bearer t1")
    let body = String(decoding: pushes[0].body, as: UTF8.self)
    #expect(body.contains(#""token":"fcm:token""#))
    #expect(body.contains(#""ttl":"300s""#))
    #expect(body.contains(#""apns-expiration":"1767323345""#))
    await worker.stop()
    await server.stop()
  }

  @Test func aRefusedTokenIsFetchedAgainAndThePushRepeatedOnce() async throws {
    let revoked = Locked<Set<String>>([])
    let server = try await server { authorization in
      revoked.withLock { !$0.contains(authorization ?? "") }
    }
    let worker = try await worker(server.endpoint, source(server.endpoint))
    #expect(await worker.deliver(try SamplePush.make()) == .accepted)
    clock.advance(100)
    revoked.withLock { $0 = ["Bearer t1"] }
    #expect(await worker.deliver(try SamplePush.make()) == .accepted)
    let pushes = server.requests(to: Self.sendPath)
    #expect(
      pushes.map { $0.fields.first("authorization") } == ["Bearer t1", "Bearer t1", "Bearer t2"])
    #expect(server.requests(to: Self.tokenPath).count == 2)
    #expect(pushes.last?.body == pushes.first?.body)
    // A token as young as this one is not refused for its age.
    revoked.withLock { $0 = ["Bearer t2"] }
    guard case .rejected("UNAUTHENTICATED", _) = await worker.deliver(try SamplePush.make()) else {
      Issue.record("a fresh token refused is a fault of the credentials")
      return
    }
    #expect(server.requests(to: Self.sendPath).count == 4)
    #expect(server.requests(to: Self.tokenPath).count == 2)
    await worker.stop()
    await server.stop()
  }

  @Test func oneFetchServesAllWorkers() async throws {
    let server = try await server(tokenDelay: .milliseconds(200))
    let source = try source(server.endpoint)
    var workers: [Worker] = []
    for _ in 0..<3 { workers.append(try await worker(server.endpoint, source)) }
    let accepted = try await withThrowingTaskGroup(of: GatewayOutcome.self) { group in
      for number in 0..<100 {
        let push = try SamplePush.make(UInt8(number))
        group.addTask { [worker = workers[number % workers.count]] in await worker.deliver(push) }
      }
      return try await group.reduce(into: 0) { count, outcome in count += outcome == .accepted ? 1 : 0 }
    }
    #expect(accepted == 100)
    #expect(server.requests(to: Self.tokenPath).count == 1)
    #expect(server.requests(to: Self.sendPath).count == 100)
    for worker in workers { await worker.stop() }
    await server.stop()
  }

  @Test func aPushWaitsForATokenUntilItsDeadline() async throws {
    let server = try await ScriptedGateway { _ in .silence }
    let source = try source(server.endpoint)
    let first = try await worker(server.endpoint, source)
    let second = try await worker(server.endpoint, source)
    let push = try SamplePush.make(within: .milliseconds(150))
    async let one = first.deliver(push)
    async let other = second.deliver(push)
    #expect(await one == .timedOut)
    #expect(await other == .timedOut)
    #expect(MonotonicTime.now() >= push.deadline)
    #expect(server.requests(to: Self.sendPath).isEmpty)
    // Else the shutdown would wait for the fetch's own deadline.
    await server.stop()
    await first.stop()
    await second.stop()
  }

  @Test func aRefusalOfTheTokenEndpointIsTheOutcome() async throws {
    let server = try await ScriptedGateway { _ in .json(400, #"{"error":"invalid_grant"}"#) }
    let worker = try await worker(server.endpoint, source(server.endpoint))
    for _ in 0..<3 {
      guard case .rejected("invalid_grant", _) = await worker.deliver(try SamplePush.make()) else {
        Issue.record("invalid_grant is a fault of the credentials")
        return
      }
    }
    // Twice since the endpoint's clock differs from the test's; not for each push: the second and third are
    // within the pause after a failure.
    #expect(server.requests.map(\.path) == [Self.tokenPath, Self.tokenPath])
    await worker.stop()
    await server.stop()
  }

  @Test func aWrongClockIsCorrectedByTheEndpoints() async throws {
    // The worker's clock stands at 1,767,323,045; the endpoint's is ten minutes ahead and takes 60 s.
    let theirs: UInt64 = 1_767_323_645
    let attempts = Locked(0)
    let server = try await ScriptedGateway { request in
      guard request.path == Self.tokenPath else { return .json(200, #"{"name":"n"}"#) }
      attempts.withLock { $0 += 1 }
      guard Self.issuedAt(request).map({ $0 + 60 >= theirs }) == true else {
        var refusal = HTTPResponse.json(400, Array(#"{"error":"invalid_grant"}"#.utf8))
        refusal.fields.add("date", HTTPDate.text(secondsSinceEpoch: theirs))
        return .respond(refusal)
      }
      return .json(200, #"{"access_token":"t","expires_in":3599}"#)
    }
    let worker = try await worker(server.endpoint, source(server.endpoint))
    #expect(await worker.deliver(try SamplePush.make()) == .accepted)
    #expect(attempts.withLock { $0 } == 2)
    await worker.stop()
    await server.stop()
  }

  /// The `iat` of an assertion.
  private static func issuedAt(_ request: HTTPRequest) -> UInt64? {
    let body = String(decoding: request.body, as: UTF8.self)
    guard let start = body.firstRange(of: "assertion=")?.upperBound,
      let parts = try? JWT.Parts(compact: body[start...].utf8)
    else { return nil }
    return (try? JSON.parse(parts.claims))?["iat"]?.uint64Value
  }

  @Test func aTokenEndpointThatCannotBeReachedIsNamed() async throws {
    let server = try await server()
    await server.stop()
    let worker = try await worker(.fcm, source(server.endpoint))
    guard case .unreachable(let fault) = await worker.deliver(try SamplePush.make()) else {
      Issue.record("without a token there is no push")
      return
    }
    #expect(
      fault.reason.hasPrefix("token endpoint \(server.endpoint): cannot connect to \(server.endpoint): "))
    await worker.stop()
  }

  @Test func aPageOfAProxyIsAnOutage() async throws {
    let server = try await ScriptedGateway { request in
      request.path == Self.tokenPath
        ? .json(200, #"{"access_token":"t"}"#)
        : .respond(.text(502, "<!DOCTYPE html><title>Error 502 (Server Error)!!1</title>"))
    }
    let worker = try await worker(server.endpoint, source(server.endpoint))
    #expect(
      await worker.deliver(try SamplePush.make()) == .unavailable(reason: "HTTP 502", retryAfter: nil))
    await worker.stop()
    await server.stop()
  }
}
