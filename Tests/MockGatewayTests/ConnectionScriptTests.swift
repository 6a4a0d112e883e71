import EventLoop
import HTTP
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectionScriptTests {
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

  @Test func eachServiceHasAPortOfItsOwn() {
    let ports = MockGateway.Service.allCases.map(mock.port(of:))
    #expect(Set(ports).count == 4)
    #expect(!ports.contains(0))
    #expect(mock.url(of: .fcm) == "https://127.0.0.1:\(mock.port(of: .fcm))")
  }

  @Test func changesTheStreamLimitAtRunTime() async throws {
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.setMaxConcurrentStreams(1, at: .apnsProduction)
    // The answer comes after the SETTINGS.
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.always(.serve.after(.milliseconds(40)), at: .apnsProduction)
    let start = MonotonicTime.now()
    let answers = await client.sendAll(try pushes(3))
    #expect(answers.map(\.status) == [200, 200, 200])
    #expect(MonotonicTime.now() - start >= .milliseconds(120))
  }

  @Test func followsApplesHabit() async throws {
    mock.setLimitsStreams(true)
    // More than one stream only once a push was accepted.
    mock.next(1, .serve.after(.milliseconds(40)), at: .apnsProduction)
    #expect(await client.sendAll(try pushes(3)).map(\.status) == [200, 200, 200])
    #expect(mock.deliveries.map(\.stream) == [1, 3, 5])
    // A refusal takes those with it that came along.
    mock.always(.apns(.badDeviceToken), at: .apnsProduction, deviceToken: apnsToken(1))
    let answers = await client.sendAll(try pushes(4))
    #expect(answers.map(\.status) == [200, 400, nil, nil])
    #expect(answers.map(\.error) == [nil, nil, .refused, .refused])
    // One at a time, until one is accepted.
    #expect(await client.sendAll(Array(try pushes(4).dropFirst(2))).map(\.status) == [200, 200])
    #expect(mock.counters(of: .apnsProduction).connectionsOpened == 1)
  }

  @Test func sendsGoAwayOnAll() async throws {
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.goAway(at: .apnsProduction, reason: "Shutdown")
    let other = try fixture.client(.apnsProduction) { $0.maxRefusals = 3 }
    #expect(await other.send(try fixture.apnsPush()).status == 200)
    let answer = await client.send(try fixture.apnsPush())
    #expect(answer.status == 200 || answer.error == .refused)
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    #expect(mock.counters(of: .apnsProduction).connectionsOpened == 3)
  }

  @Test func disconnectsAll() async throws {
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    #expect(mock.counters(of: .apnsProduction).connectionsOpen == 1)
    mock.disconnectAll(at: .apnsProduction)
    #expect(mock.counters(of: .apnsProduction).connectionsOpen == 0)
  }

  @Test func silencedConnectionsAreFoundByPing() async throws {
    let client = try fixture.client(.apnsProduction) { configuration in
      configuration.pingAfterSilence = .milliseconds(200)
      configuration.pingTimeout = .milliseconds(300)
    }
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.silenceConnections(at: .apnsProduction)
    #expect(await client.send(try fixture.apnsPush()).error == .connectionLost(afterSend: true))
    #expect(mock.deliveryCount == 1)
    #expect(await client.send(try fixture.apnsPush()).status == 200)
  }

  @Test func blackHoleTakesConnectionsOnly() async throws {
    mock.setBlackHole(true, at: .apnsProduction)
    let client = try fixture.client(.apnsProduction) { configuration in
      configuration.connectTimeout = .milliseconds(100)
      configuration.connectFailureLimit = 1
    }
    guard case .connectFailed? = await client.send(try fixture.apnsPush()).error else {
      Issue.record("a connection came about in the black hole")
      return
    }
    let counters = mock.counters(of: .apnsProduction)
    #expect(counters.connectionsAccepted >= 1)
    #expect(counters.connectionsOpened == 0)
    mock.setBlackHole(false, at: .apnsProduction)
    #expect(await self.client.send(try fixture.apnsPush()).status == 200)
  }

  @Test func stopsListeningAndListensAgain() async throws {
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.stopListening(at: .apnsProduction)
    #expect(await client.send(try fixture.apnsPush()).status == 200)
    mock.disconnectAll(at: .apnsProduction)
    let late = try fixture.client(.apnsProduction) { $0.connectFailureLimit = 1 }
    guard case .connectFailed? = await late.send(try fixture.apnsPush()).error else {
      Issue.record("a connection came about without a listener")
      return
    }
    try mock.listenAgain(at: .apnsProduction)
    #expect(await late.send(try fixture.apnsPush()).status == 200)
  }

  @Test func keepsGivenPorts() throws {
    var again: Fixture?
    var port: UInt16 = 0
    // Somebody else may take the port in between.
    for _ in 0..<5 where again == nil {
      let first = try Fixture()
      port = first.mock.port(of: .fcm)
      first.mock.stop()
      again = try? Fixture { $0.ports = [.fcm: port] }
    }
    #expect(again?.mock.port(of: .fcm) == port)
    #expect(throws: MockGatewayError.self) { try Fixture { $0.ports = [.fcm: port] } }
    // Held until here, or the port would be free.
    again?.mock.stop()
  }
}
