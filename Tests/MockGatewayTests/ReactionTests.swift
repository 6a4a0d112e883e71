import EventLoop
import Gateways
import HTTP
import JSON
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReactionTests {
  private let fixture: Fixture
  private let client: TestClient
  private var mock: MockGateway { fixture.mock }

  init() throws {
    fixture = try Fixture()
    client = try fixture.client(.apnsProduction)
  }

  private func pushes(_ count: Int) throws -> [HTTPRequest] {
    let authorization = try fixture.provider().authorization()
    return try (0..<count).map { try fixture.apnsPush(apnsToken($0), authorization: authorization) }
  }

  @Test func answersNextInOrderThenServes() async throws {
    mock.next(2, .apns(.serviceUnavailable, retryAfter: 3), at: .apnsProduction)
    mock.next(1, .apns(.tooManyRequests), at: .apnsProduction)
    let answers = await client.sendAll(try pushes(4))
    #expect(answers.map(\.status) == [503, 503, 429, 200])
    #expect(answers.map(\.reason) == ["ServiceUnavailable", "ServiceUnavailable", "TooManyRequests", nil])
    #expect(try answers[0].get().fields.first("retry-after") == "3")
    #expect(mock.deliveryCount == 1)
    #expect(mock.counters(of: .apnsProduction).requests == 4)
    #expect(mock.counters(of: .apnsProduction).refusals.isEmpty)
  }

  @Test func killsOneDevice() async throws {
    mock.always(
      .apns(.unregistered, timestamp: 1_454_948_015_990), at: .apnsProduction,
      deviceToken: apnsToken(1).uppercased())
    for _ in 0..<2 {
      let answers = await client.sendAll(try pushes(3))
      #expect(answers.map(\.status) == [200, 410, 200])
      #expect(try answers[1].get().json?["timestamp"]?.uint64Value == 1_454_948_015_990)
      let id = try #require(try pushes(2)[1].fields.first("apns-id"))
      #expect(try answers[1].get().fields.first("apns-id") == id)
    }
    mock.serveNormally(at: .apnsProduction, deviceToken: apnsToken(1))
    #expect(await client.sendAll(try pushes(3)).map(\.status) == [200, 200, 200])
  }

  @Test func aDeviceGoesBeforeAll() async throws {
    mock.always(.apns(.internalServerError), at: .apnsProduction)
    mock.next(1, .serve, at: .apnsProduction, deviceToken: apnsToken(0))
    #expect(await client.sendAll(try pushes(2)).map(\.status) == [200, 500])
    #expect(await client.sendAll(try pushes(2)).map(\.status) == [500, 500])
    mock.clearReactions()
    #expect(await client.sendAll(try pushes(2)).map(\.status) == [200, 200])
  }

  @Test func verificationGoesBeforeAnAnswer() async throws {
    mock.always(.answer(.empty(200)), at: .apnsProduction)
    let request = try fixture.apnsPush(authorization: "bearer forged")
    #expect(await client.send(request).reason == "InvalidProviderToken")
  }

  @Test func answersHTML() async throws {
    mock.next(1, .html(), at: .apnsProduction)
    let response = try await client.send(try fixture.apnsPush()).get()
    #expect(response.status == 502)
    #expect(response.fields.first("content-type") == "text/html; charset=UTF-8")
    #expect(response.json == nil)
  }

  @Test(arguments: MockGateway.FCMErrorCode.allCases)
  func answersFCMErrors(_ code: MockGateway.FCMErrorCode) async throws {
    let token = try await fixture.accessToken(fixture.client(.oauth))
    mock.always(.fcm(code, retryAfter: 7), at: .fcm, deviceToken: "device:1")
    let fcm = try fixture.client(.fcm)
    let response = try await fcm.send(fixture.fcmPush(accessToken: token)).get()
    let verdict = FCMResponse.verdict(
      status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body, now: 0)
    let expected: GatewayOutcome? =
      switch code {
      case .unregistered, .senderIDMismatch, .invalidArgument: .deadToken(reason: code.rawValue, since: nil)
      case .quotaExceeded: .throttled(retryAfter: 7)
      case .unavailable, .internal: .unavailable(reason: code.rawValue, retryAfter: 7)
      case .thirdPartyAuthError: nil
      }
    if let expected {
      #expect(verdict.outcome == expected)
    } else {
      #expect(response.status == 401)
    }
    #expect(await fcm.send(try fixture.fcmPush("device:2", accessToken: token)).status == 200)
  }

  @Test func neverAnswersOneAndServesOthers() async throws {
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.always(.neverAnswer, at: .apnsProduction, deviceToken: apnsToken(1))
    let answers = await client.sendAll(try pushes(3), timeout: .milliseconds(600))
    #expect(answers.map(\.status) == [200, nil, 200])
    #expect(answers[1].error == .timedOut)
    #expect(mock.counters(of: .apnsProduction).connectionsOpened == 1)
  }

  @Test func answersLate() async throws {
    mock.always(.serve.after(.milliseconds(50)), at: .apnsProduction, deviceToken: apnsToken(0))
    let start = MonotonicTime.now()
    #expect(await client.send(try pushes(1)[0]).status == 200)
    #expect(MonotonicTime.now() - start >= .milliseconds(50))
    #expect(mock.deliveryCount == 1)
  }

  @Test func resetsStreams() async throws {
    mock.next(1, .reset(.refusedStream), at: .apnsProduction)
    mock.next(1, .reset(.internalError), at: .apnsProduction)
    mock.next(1, .reset(.enhanceYourCalm).afterAccepting, at: .apnsProduction)
    let answers = await client.sendAll(try pushes(4))
    #expect(
      answers.map(\.error) == [.refused, .reset(.internalError), .reset(.enhanceYourCalm), nil])
    #expect(mock.deliveries.map(\.deviceToken) == [apnsToken(2), apnsToken(3)])
  }

  @Test func goesAwayLeavingTheNewestUnprocessed() async throws {
    let client = try fixture.client(.apnsProduction) { $0.maxRefusals = 3 }
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.resetDeliveries()
    mock.next(1, .goAway(reason: "Shutdown"), at: .apnsProduction, deviceToken: apnsToken(2))
    let answers = await client.sendAll(try pushes(5))
    #expect(answers.map(\.status) == [200, 200, 200, 200, 200])
    let deliveries = mock.deliveries
    #expect(deliveries.map(\.deviceToken) == (0..<5).map(apnsToken))
    #expect(deliveries.map(\.connection) == [1, 1, 2, 2, 2])
    #expect(mock.counters(of: .apnsProduction).connectionsOpened == 1)
  }

  @Test func goesAwayAfterTheLastProcessed() async throws {
    // On a connection that is open all three leave in one turn, before any answer.
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.resetDeliveries()
    mock.next(1, .goAway().afterAccepting, at: .apnsProduction, deviceToken: apnsToken(1))
    let answers = await client.sendAll(try pushes(3))
    // The third was not looked at. What a peer that served others left over is no refusal: even this client, which
    // makes none again, sends it elsewhere.
    #expect(answers.map(\.status) == [200, 200, 200])
    #expect(mock.deliveries.map(\.deviceToken) == (0..<3).map(apnsToken))
    #expect(mock.deliveries.map(\.connection) == [1, 1, 2])
  }

  @Test func disconnectsInTheMidst() async throws {
    mock.next(1, .disconnect.afterAccepting, at: .apnsProduction)
    #expect(await client.send(try fixture.apnsPush()).error == .connectionLost(afterSend: true))
    #expect(mock.deliveryCount == 1)
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    #expect(mock.counters(of: .apnsProduction).connectionsOpened == 2)
    #expect(mock.counters(of: .apnsProduction).connectionsOpen == 1)
  }
}
