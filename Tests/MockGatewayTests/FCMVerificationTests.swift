import Gateways
import HTTP
import JSON
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct FCMVerificationTests {
  private let fixture: Fixture
  private let client: TestClient

  init() throws {
    fixture = try Fixture()
    client = try fixture.client(.fcm)
  }

  private func token() async throws -> String {
    try await fixture.accessToken(fixture.client(.oauth))
  }

  @Test func takesWhatPushboxSends() async throws {
    let response = try await client.send(fixture.fcmPush(accessToken: token())).get()
    #expect(response.status == 200)
    #expect(response.json?["name"]?.stringValue?.hasPrefix("projects/mock-project/messages/") == true)
    #expect(fixture.mock.deliveries.map(\.deviceToken) == ["device:1"])
    #expect(
      fixture.mock.deliveries.first?.payload["message"]?["data"]?["message"]?.stringValue == "c2VjcmV0")
  }

  @Test func refusesUnknownAccessTokens() async throws {
    let good = try await token()
    for bad in ["ya29.made-up", good + "x"] {
      let response = try await client.send(fixture.fcmPush(accessToken: bad)).get()
      #expect(response.status == 401)
      #expect(response.json?["error"]?["status"]?.stringValue == "UNAUTHENTICATED")
    }
    var request = try fixture.fcmPush(accessToken: good)
    request.fields.remove("authorization")
    #expect(await client.send(request).status == 401)
  }

  @Test func refusesExpiredAndRevokedAccessTokens() async throws {
    let first = try await token()
    fixture.advance(3599)
    #expect(await client.send(try fixture.fcmPush(accessToken: first)).status == 200)
    fixture.advance(1)
    #expect(await client.send(try fixture.fcmPush(accessToken: first)).status == 401)
    let second = try await token()
    #expect(await client.send(try fixture.fcmPush(accessToken: second)).status == 200)
    fixture.mock.revokeAccessTokens()
    #expect(await client.send(try fixture.fcmPush(accessToken: second)).status == 401)
  }

  @Test func refusesAnotherProject() async throws {
    var request = try fixture.fcmPush(accessToken: try await token())
    request.path = "/v1/projects/other/messages:send"
    let response = try await client.send(request).get()
    #expect(response.status == 404)
    #expect(response.json?["error"]?["details"] == nil)
    guard case .rejected = FCMResponse.verdict(status: 404, body: response.body, now: 0).outcome else {
      Issue.record("a wrong project must not look like a dead token")
      return
    }
  }

  /// A body that FCM refuses, with the field it names; nil when it names none.
  struct BodyFault: Sendable, CustomTestStringConvertible {
    var body: String
    var field: String?
    var testDescription: String { String(body.prefix(60)) }

    static let all = [
      BodyFault(body: "{\"message\":", field: ""),
      BodyFault(body: "[]", field: ""),
      BodyFault(body: "{}", field: "message"),
      BodyFault(body: "{\"message\":{\"message\":{\"token\":\"a\"}}}", field: "message"),
      BodyFault(body: "{\"message\":{\"token\":\"a\"},\"extra\":1}", field: ""),
      BodyFault(body: "{\"message\":{\"token\":1}}", field: "message.token"),
      BodyFault(body: "{\"message\":{\"token\":\"not valid\"}}", field: "message.token"),
      BodyFault(body: "{\"message\":{\"data\":{}}}", field: "message"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"data\":{\"topic\":\"t\",\"tag\":1108}}}",
        field: "message.data[1].value"),
      BodyFault(body: "{\"message\":{\"token\":\"a\",\"data\":{\"from\":\"x\"}}}", field: "message.data"),
      BodyFault(body: "{\"message\":{\"token\":\"a\",\"data\":{\"google.x\":\"x\"}}}", field: "message.data"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"android\":{\"priority\":\"URGENT\"}}}",
        field: "message.android.priority"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"android\":{\"ttl\":60}}}", field: "message.android.ttl"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"android\":{\"ttl\":\"2419201s\"}}}",
        field: "message.android.ttl"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"notification\":{\"subtitle\":\"x\"}}}",
        field: "message.notification"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"apns\":{\"headers\":{\"apns-priority\":5}}}}",
        field: "message.apns.headers[0].value"),
      BodyFault(
        body: "{\"message\":{\"token\":\"a\",\"data\":{\"k\":\"\(String(repeating: "x", count: 4096))\"}}}",
        field: nil),
    ]
  }

  @Test func refusesBodies() async throws {
    let accessToken = try await token()
    for fault in BodyFault.all {
      var request = try fixture.fcmPush(accessToken: accessToken)
      request.body = Array(fault.body.utf8)
      let response = try await client.send(request).get()
      let error = response.json?["error"]
      #expect(response.status == 400, "\(fault.testDescription)")
      #expect(error?["status"]?.stringValue == "INVALID_ARGUMENT")
      let fields = (error?["details"]?.arrayValue ?? []).compactMap {
        $0["fieldViolations"]?[0]?["field"]?.stringValue
      }
      #expect(fields == (fault.field.map { [$0] } ?? []), "\(fault.testDescription)")
    }
    #expect(fixture.mock.deliveryCount == 0)
  }

  @Test func takesCamelCaseAndTheLargestMessage() async throws {
    var request = try fixture.fcmPush(accessToken: try await token())
    let filling = String(repeating: "x", count: 4095)
    request.body = Array(
      "{\"message\":{\"token\":\"a\",\"data\":{\"k\":\"\(filling)\"},\"android\":{\"collapseKey\":\"c\",\"ttl\":\"3.5s\"}}}"
        .utf8)
    #expect(await client.send(request).status == 200)
  }
}
