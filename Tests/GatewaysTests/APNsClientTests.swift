import Bytes
import Crypto
import EventLoop
import Gateways
import HTTP
import TLS
import Testing

@Suite(.timeLimit(.minutes(10))) struct APNsClientTests {
  private let clock = TestClock()
  private let key: P256PrivateKey

  init() throws {
    key = try P256PrivateKey.generate()
  }

  private func worker(
    _ endpoint: GatewayEndpoint, oversize: OversizePolicy = .trim, trust: String? = nil
  ) async throws -> Worker {
    let tls = try trust.map { try GatewayEndpoint.tlsContext(trust: .pem($0)) } ?? LoopbackTLS.client()
    let token = APNsProviderToken(
      teamID: "TEAM123456", keyID: "KEY1234567", key: key, clock: { [clock] in clock.now })
    // The machine may be slow; how often is `HTTP2ClientTests`'s.
    var configuration = HTTP2Client.Configuration()
    configuration.retirementInterval = .seconds(600)
    return try await Worker { [configuration] loop in
      let http = endpoint.makeClient(loop: loop, tls: tls, configuration: configuration)
      let client = APNsClient(
        loop: loop, endpoint: endpoint, http: http, topic: "com.example.wallet", token: token,
        oversize: oversize)
      return (client, http)
    }
  }

  private func outage(_ outcome: GatewayOutcome) -> String? {
    switch outcome {
    case .unavailable(let reason, _): reason
    case .unreachable(let fault): fault.reason
    default: nil
    }
  }

  @Test func aPushIsAccepted() async throws {
    let server = try await ScriptedGateway { _ in .respond(.empty(200)) }
    let worker = try await worker(server.endpoint)
    #expect(await worker.deliver(try SamplePush.make(7)) == .accepted)
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request.method == "POST")
    #expect(request.path == "/3/device/\(SamplePush.deviceToken)")
    #expect(request.authority == server.endpoint.authority)
    #expect(request.fields.first("apns-topic") == "com.example.wallet")
    #expect(request.fields.first("apns-id") == "07070707-0707-0707-0707-070707070707")
    #expect(request.fields.first("authorization")?.hasPrefix("bearer ") == true)
    #expect(String(decoding: request.body, as: UTF8.self).contains(#""message":"aGVsbG8=""#))
    await worker.stop()
    await server.stop()
  }

  @Test func answersBecomeOutcomes() async throws {
    let server = try await ScriptedGateway { request in
      switch request.fields.first("apns-expiration") {
      case "1": return .json(410, #"{"reason":"Unregistered","timestamp":1767323045000}"#)
      case "2":
        var response = HTTPResponse.json(503, Array(#"{"reason":"ServiceUnavailable"}"#.utf8))
        response.fields.add("retry-after", "7")
        return .respond(response)
      default: return .respond(.text(502, "<html>Bad Gateway</html>"))
      }
    }
    let worker = try await worker(server.endpoint)
    #expect(
      await worker.deliver(try SamplePush.make(lifetime: .init(1, from: 0)))
        == .deadToken(reason: "Unregistered", since: 1_767_323_045_000))
    #expect(
      await worker.deliver(try SamplePush.make(lifetime: .init(2, from: 0)))
        == .unavailable(reason: "ServiceUnavailable", retryAfter: 7))
    #expect(
      await worker.deliver(try SamplePush.make(lifetime: .init(3, from: 0)))
        == .unavailable(reason: "HTTP 502", retryAfter: nil))
    #expect(server.requests.count == 3)
    await worker.stop()
    await server.stop()
  }

  @Test func anExpiredTokenIsReplacedAndThePushRepeatedOnce() async throws {
    let rejected = Locked<String?>(nil)
    let server = try await ScriptedGateway { request in
      let authorization = request.fields.first("authorization")
      return authorization == rejected.withLock { $0 }
        ? .json(403, #"{"reason":"ExpiredProviderToken"}"#) : .respond(.empty(200))
    }
    let worker = try await worker(server.endpoint)
    #expect(await worker.deliver(try SamplePush.make(1)) == .accepted)
    rejected.withLock { $0 = server.requests.first?.fields.first("authorization") }
    clock.advance(25 * 60)
    #expect(await worker.deliver(try SamplePush.make(2)) == .accepted)
    let requests = server.requests
    try #require(requests.count == 3)
    #expect(requests[1].fields.first("authorization") == requests[0].fields.first("authorization"))
    #expect(requests[2].fields.first("authorization") != requests[1].fields.first("authorization"))
    #expect(requests[2].fields.all("authorization").count == 1)
    #expect(requests[2].fields.first("apns-id") == requests[1].fields.first("apns-id"))
    #expect(requests[2].body == requests[1].body)
    // The new one is refused as well, and too young to be replaced.
    rejected.withLock { $0 = requests[2].fields.first("authorization") }
    guard case .rejected("ExpiredProviderToken", _) = await worker.deliver(try SamplePush.make(3)) else {
      Issue.record("a token refused for good is a fault of the credentials")
      return
    }
    #expect(server.requests.count == 4)
    await worker.stop()
    await server.stop()
  }

  @Test func aFaultyConnectionIsLeftOnce() async throws {
    let firstPort = Locked<UInt16?>(nil)
    let isEverywhere = Locked(false)
    let server = try await ScriptedGateway { request in
      let port = request.remoteAddress?.port
      let isFirst = firstPort.withLock { first in
        if first == nil { first = port }
        return first == port
      }
      return isFirst || isEverywhere.withLock { $0 }
        ? .json(500, #"{"reason":"InternalServerError"}"#) : .respond(.empty(200))
    }
    let worker = try await worker(server.endpoint)
    #expect(await worker.deliver(try SamplePush.make(1)) == .accepted)
    #expect(server.requests.count == 2)
    #expect(await worker.counters.connectionsOpened == 2)
    // Not a new connection for each push when all are faulty.
    isEverywhere.withLock { $0 = true }
    for number in 2...5 as ClosedRange<UInt8> {
      #expect(
        await worker.deliver(try SamplePush.make(number))
          == .unavailable(reason: "InternalServerError", retryAfter: nil))
    }
    #expect(server.requests.count == 6)
    #expect(await worker.counters.connectionsOpened == 2)
    await worker.stop()
    await server.stop()
  }

  @Test func silenceEndsAtTheDeadlineAndTheConnectionGoesOn() async throws {
    let server = try await ScriptedGateway { request in
      request.fields.first("apns-expiration") == "1" ? .silence : .respond(.empty(200))
    }
    let worker = try await worker(server.endpoint)
    #expect(await worker.deliver(try SamplePush.make()) == .accepted)
    let start = MonotonicTime.now()
    #expect(
      await worker.deliver(try SamplePush.make(lifetime: .init(1, from: 0), within: .milliseconds(150)))
        == .timedOut)
    let duration = MonotonicTime.now() - start
    #expect(duration >= .milliseconds(150))
    #expect(duration < .seconds(5))
    #expect(await worker.deliver(try SamplePush.make()) == .accepted)
    #expect(await worker.counters.connectionsOpened == 1)
    // Too late to begin with: not even sent.
    #expect(await worker.deliver(try SamplePush.make(within: .seconds(-1))) == .timedOut)
    #expect(server.requests.count == 3)
    await worker.stop()
    await server.stop()
  }

  @Test func aRefusedConnectionIsToldSoon() async throws {
    let server = try await ScriptedGateway { _ in .respond(.empty(200)) }
    await server.stop()
    let worker = try await worker(server.endpoint)
    let start = MonotonicTime.now()
    let outcome = await worker.deliver(try SamplePush.make())
    #expect(MonotonicTime.now() - start < .seconds(5))
    let reason = try #require(outage(outcome))
    #expect(reason.hasPrefix("\(server.endpoint): cannot connect to \(server.endpoint): "))
    #expect(!reason.contains(SamplePush.deviceToken))
    await worker.stop()
  }

  @Test func aServerThatIsNotTrustedOrNoHTTP2IsNamed() async throws {
    let stranger = try LoopbackCertificateAuthority(validity: LoopbackTLS.validity)
    let server = try await ScriptedGateway { _ in .respond(.empty(200)) }
    let wary = try await worker(server.endpoint, trust: stranger.certificatePEM)
    let reason = try #require(outage(await wary.deliver(try SamplePush.make())))
    #expect(reason.hasPrefix("\(server.endpoint): TLS: the peer's certificate was not accepted"))
    await wary.stop()
    await server.stop()

    let old = try await ScriptedGateway(tls: try LoopbackTLS.server(protocols: ["http/1.1"])) { _ in
      .respond(.empty(200))
    }
    let worker = try await worker(old.endpoint)
    let other = try #require(outage(await worker.deliver(try SamplePush.make())))
    #expect(other.hasPrefix("\(old.endpoint): "))
    #expect(old.requests.isEmpty)
    await worker.stop()
    await old.stop()
  }

  @Test func whatNeedsNoAnswerIsNotSent() async throws {
    let server = try await ScriptedGateway { _ in .respond(.empty(200)) }
    let worker = try await worker(server.endpoint, oversize: .reject)
    #expect(
      await worker.deliver(try SamplePush.make(deviceToken: "no hex"))
        == .deadToken(reason: "BadDeviceToken", since: nil))
    #expect(
      await worker.deliver(try SamplePush.make(message: String(repeating: "a", count: 5000)))
        == .payloadTooLarge)
    #expect(server.requests.isEmpty)
    await worker.stop()
    await server.stop()
  }

  @Test func aShutdownFinishesWhatIsUnderWay() async throws {
    let server = try await ScriptedGateway { _ in .respondLater(.empty(200), .milliseconds(200)) }
    let worker = try await worker(server.endpoint)
    #expect(await worker.deliver(try SamplePush.make(1)) == .accepted)
    let push = try SamplePush.make(2)
    async let outcome = worker.deliver(push)
    while server.requests.count < 2 { await Task.yield() }
    await worker.shutdown()
    #expect(await outcome == .accepted)
    #expect(
      await worker.deliver(push)
        == .unavailable(reason: "pushbox is shutting down", retryAfter: nil))
    #expect(await worker.counters.openConnections == 0)
    await server.stop()
  }
}
