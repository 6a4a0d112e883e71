import Bytes
import Crypto
import Gateways
import HTTP
import JSON
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct APNsVerificationTests {
  private let fixture: Fixture
  private let client: TestClient

  init() throws {
    fixture = try Fixture()
    client = try fixture.client(.apnsProduction)
  }

  @Test func takesWhatPushboxSends() async throws {
    let request = try fixture.apnsPush()
    let response = try await client.send(request).get()
    #expect(response.status == 200)
    #expect(response.body.isEmpty)
    #expect(response.fields.first("apns-id") == request.fields.first("apns-id"))
    #expect(fixture.mock.deliveryCount == 1)
  }

  @Test func sandboxTakesTheSameKey() async throws {
    let sandbox = try fixture.client(.apnsSandbox)
    #expect(await sandbox.send(try fixture.apnsPush(at: .apnsSandbox)).status == 200)
    #expect(fixture.mock.counters(of: .apnsSandbox).accepted == 1)
    #expect(fixture.mock.counters(of: .apnsProduction).accepted == 0)
  }

  @Test func makesAnIDWhenThereIsNone() async throws {
    var request = try fixture.apnsPush()
    request.fields.remove("apns-id")
    let id = try #require(try await client.send(request).get().fields.first("apns-id"))
    #expect(id.utf8.count == 36)
  }

  /// A fault in one header field, and Apple's reason for it.
  struct HeaderFault: Sendable, CustomTestStringConvertible {
    var name: String
    var value: String?
    var reason: String
    var testDescription: String { "\(name): \(value ?? "none") is \(reason)" }

    static let all = [
      HeaderFault(name: "apns-topic", value: nil, reason: "MissingTopic"),
      HeaderFault(name: "apns-topic", value: "com.example.other", reason: "TopicDisallowed"),
      HeaderFault(name: "apns-topic", value: "com example", reason: "BadTopic"),
      HeaderFault(name: "apns-push-type", value: "shout", reason: "InvalidPushType"),
      HeaderFault(name: "apns-push-type", value: "background", reason: "BadPriority"),
      HeaderFault(name: "apns-priority", value: "7", reason: "BadPriority"),
      HeaderFault(name: "apns-expiration", value: "tomorrow", reason: "BadExpirationDate"),
      HeaderFault(name: "apns-expiration", value: "-1", reason: "BadExpirationDate"),
      HeaderFault(name: "apns-id", value: "1234", reason: "BadMessageId"),
      HeaderFault(
        name: "apns-id", value: "0AC83D1C-0E5B-4C1E-8F6D-0123456789AB", reason: "BadMessageId"),
      HeaderFault(
        name: "apns-collapse-id", value: String(repeating: "x", count: 65), reason: "BadCollapseId"),
    ]
  }

  @Test(arguments: HeaderFault.all) func refusesHeader(_ fault: HeaderFault) async throws {
    var request = try fixture.apnsPush()
    request.fields.remove(fault.name)
    if let value = fault.value { request.fields.add(fault.name, value) }
    let response = try await client.send(request).get()
    #expect(response.status == 400)
    #expect(response.reason == fault.reason)
    #expect(fixture.mock.deliveryCount == 0)
    #expect(fixture.mock.counters(of: .apnsProduction).refusals == [fault.reason: 1])
  }

  @Test func acceptsOptionalHeadersMissing() async throws {
    var request = try fixture.apnsPush()
    for name in ["apns-push-type", "apns-priority", "apns-expiration", "apns-id", "apns-collapse-id"] {
      request.fields.remove(name)
    }
    #expect(await client.send(request).status == 200)
  }

  @Test func refusesDuplicateHeaders() async throws {
    var request = try fixture.apnsPush()
    request.fields.add("apns-topic", "com.example.wallet")
    #expect(await client.send(request).reason == "DuplicateHeaders")
  }

  @Test func refusesMethodAndPath() async throws {
    var request = try fixture.apnsPush()
    request.method = "PUT"
    let method = try await client.send(request).get()
    #expect(method.status == 405)
    #expect(method.reason == "MethodNotAllowed")
    request.method = "POST"
    request.path = "/4/device/" + apnsToken(1)
    let path = try await client.send(request).get()
    #expect(path.status == 404)
    #expect(path.reason == "BadPath")
  }

  @Test(arguments: [("", "MissingDeviceToken"), ("xyz", "BadDeviceToken"), ("abc", "BadDeviceToken")])
  func refusesDeviceToken(_ token: String, _ reason: String) async throws {
    var request = try fixture.apnsPush()
    request.path = "/3/device/" + token
    let response = try await client.send(request).get()
    #expect(response.status == 400)
    #expect(response.reason == reason)
  }

  @Test func refusesPayload() async throws {
    var request = try fixture.apnsPush()
    request.body = []
    #expect(await client.send(request).reason == "PayloadEmpty")
    request.body = Array("{\"aps\":".utf8)
    #expect(await client.send(request).reason == "PayloadEmpty")
    request.body = Array("{\"topic\":\"x\"}".utf8)
    #expect(await client.send(request).reason == "PayloadEmpty")
  }

  @Test func limitsPayloadTo4096Bytes() async throws {
    var request = try fixture.apnsPush()
    request.body = payload(byteCount: 4096)
    #expect(await client.send(request).status == 200)
    request.body = payload(byteCount: 4097)
    let over = try await client.send(request).get()
    #expect(over.status == 413)
    #expect(over.reason == "PayloadTooLarge")
    request.body = payload(byteCount: 200_000)
    #expect(await client.send(request).reason == "PayloadTooLarge")
  }

  private func payload(byteCount: Int) -> [UInt8] {
    let frame = "{\"aps\":{},\"x\":\"\"}"
    let filling = String(repeating: "x", count: byteCount - frame.utf8.count)
    return Array("{\"aps\":{},\"x\":\"\(filling)\"}".utf8)
  }
}

@Suite(.timeLimit(.minutes(10))) struct APNsProviderTokenTests {
  private let fixture: Fixture
  private let client: TestClient

  init() throws {
    fixture = try Fixture()
    client = try fixture.client(.apnsProduction)
  }

  private func reason(_ authorization: String?) async throws -> String? {
    var request = try fixture.apnsPush()
    request.fields.remove("authorization")
    if let authorization { request.fields.add("authorization", authorization) }
    let response = try await client.send(request).get()
    if response.reason != nil { #expect(response.status == 403 || response.status == 429) }
    return response.reason
  }

  private func token(
    alg: String = "ES256", kid: String? = nil, iss: String? = nil, iat: JSONValue? = nil,
    key: P256PrivateKey? = nil
  ) throws -> String {
    let credentials = fixture.mock.credentials
    let issuedAt = iat ?? .number(JSONNumber(fixture.now))
    let input = JWT.signingInput(
      header: json([("alg", .string(alg)), ("kid", .string(kid ?? credentials.apnsKeyID))]),
      claims: json([("iss", .string(iss ?? credentials.apnsTeamID)), ("iat", issuedAt)]))
    return "bearer "
      + JWT.join(signingInput: input, signature: try (key ?? credentials.apnsKey).sign(input))
  }

  private func json(_ members: [(String, JSONValue)]) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(JSONValue.object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) })))
    return writer.bytes
  }

  @Test func takesAGoodOne() async throws {
    #expect(try await reason(token()) == nil)
    #expect(try await reason(token().replacingBearer()) == nil)
  }

  @Test func missesOne() async throws {
    #expect(try await reason(nil) == "MissingProviderToken")
    #expect(try await reason("Basic abcdefgh") == "MissingProviderToken")
  }

  @Test func refusesForgeries() async throws {
    let cases = [
      "bearer nonsense", try token(alg: "HS256"), try token(alg: "none"), try token(kid: "OTHERKEY12"),
      try token(iss: "OTHERTEAM1"), try token(iat: .string("now")), try token(key: P256PrivateKey.generate()),
      try token() + "A",
    ]
    for authorization in cases {
      #expect(try await reason(authorization) == "InvalidProviderToken")
    }
    #expect(fixture.mock.counters(of: .apnsProduction).refusals == ["InvalidProviderToken": cases.count])
  }

  @Test func refusesOldAndFutureOnes() async throws {
    let good = try token()
    #expect(try await reason(good) == nil)
    fixture.advance(3600)
    #expect(try await reason(good) == nil)
    fixture.advance(1)
    #expect(try await reason(good) == "ExpiredProviderToken")
    #expect(try await reason(token(iat: .number(JSONNumber(fixture.now + 300)))) == "InvalidProviderToken")
  }

  @Test func limitsUpdatesWhenAsked() async throws {
    let first = try token()
    #expect(try await reason(first) == nil)
    fixture.advance(60)
    let second = try token()
    #expect(try await reason(second) == nil)
    fixture.mock.setLimitsTokenUpdates(true)
    fixture.advance(60)
    #expect(try await reason(token()) == "TooManyProviderTokenUpdates")
    #expect(try await reason(second) == nil)
    fixture.advance(1200)
    #expect(try await reason(token()) == nil)
  }
}

extension String {
  fileprivate func replacingBearer() -> String { "Bearer " + dropFirst(7) }
}
