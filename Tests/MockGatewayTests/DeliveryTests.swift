import HTTP
import JSON
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
  private func pushes(_ fixture: Fixture, _ count: Int) throws -> [HTTPRequest] {
    let authorization = try fixture.provider().authorization()
    return try (0..<count).map { try fixture.apnsPush(apnsToken($0), authorization: authorization) }
  }

  @Test func recordsWhatCame() async throws {
    let fixture = try Fixture()
    let client = try fixture.client(.apnsSandbox)
    _ = await client.sendAll(try pushes(fixture, 2))
    let delivery = try #require(fixture.mock.deliveries.last)
    #expect(delivery.service == .apnsSandbox)
    #expect(delivery.deviceToken == apnsToken(1))
    #expect(delivery.fields.first("apns-push-type") == "alert")
    #expect(delivery.payload["tag"]?.uint32Value == 1108)
    #expect(delivery.connection == 1)
    #expect(delivery.stream == 3)
  }

  @Test func keepsTheNewest() async throws {
    let fixture = try Fixture { $0.recording = .full(limit: 3) }
    let client = try fixture.client(.apnsProduction)
    _ = await client.sendAll(try pushes(fixture, 5))
    #expect(fixture.mock.deliveries.map(\.deviceToken) == (2..<5).map(apnsToken))
    #expect(fixture.mock.deliveryCount == 5)
  }

  @Test func countsOnly() async throws {
    let fixture = try Fixture { $0.recording = .countOnly }
    let client = try fixture.client(.apnsProduction)
    _ = await client.sendAll(try pushes(fixture, 5))
    #expect(fixture.mock.deliveries.isEmpty)
    #expect(fixture.mock.deliveryCount == 5)
    fixture.mock.setRecording(.full(limit: 10))
    _ = await client.sendAll(try pushes(fixture, 1))
    #expect(fixture.mock.deliveries.count == 1)
  }

  @Test func resets() async throws {
    let fixture = try Fixture()
    let client = try fixture.client(.apnsProduction)
    _ = await client.sendAll(try pushes(fixture, 2))
    fixture.mock.resetDeliveries()
    #expect(fixture.mock.deliveries.isEmpty)
    #expect(fixture.mock.deliveryCount == 0)
    var counters = MockGateway.Counters()
    counters.connectionsOpen = 1
    #expect(fixture.mock.counters(of: .apnsProduction) == counters)
  }

  @Test func waits() async throws {
    let fixture = try Fixture()
    let mock = fixture.mock
    let client = try fixture.client(.apnsProduction)
    #expect(await mock.waitForDeliveries(count: 1, timeout: .milliseconds(20)) == false)
    async let came = mock.waitForDeliveries(count: 3, timeout: .seconds(10))
    _ = await client.sendAll(try pushes(fixture, 3))
    #expect(await came)
    #expect(await mock.waitForDeliveries(count: 3, timeout: .zero))
    #expect(mock.blockUntilDelivered(count: 3, timeout: .zero))
    #expect(!mock.blockUntilDelivered(count: 4, timeout: .milliseconds(20)))
  }

  @Test func nobodyWaitsForAStoppedMock() async throws {
    let fixture = try Fixture()
    let mock = fixture.mock
    async let came = mock.waitForDeliveries(count: 1, timeout: .seconds(10))
    mock.stop()
    #expect(await came == false)
    #expect(await mock.waitForDeliveries(count: 1, timeout: .seconds(10)) == false)
    mock.disconnectAll(at: .fcm)
    #expect(throws: MockGatewayError.self) { try mock.listenAgain(at: .fcm) }
  }
}
