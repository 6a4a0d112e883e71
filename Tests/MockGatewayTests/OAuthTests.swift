import Crypto
import Gateways
import HTTP
import JSON
import MockGateway
import Testing

@Suite(.timeLimit(.minutes(10))) struct OAuthTests {
  private let fixture: Fixture
  private let client: TestClient

  init() throws {
    fixture = try Fixture { $0.accessTokenLifetime = 1234 }
    client = try fixture.client(.oauth)
  }

  private func request(
    alg: String = "RS256", iss: String? = nil, scope: String? = nil, aud: String? = nil,
    iat: UInt64? = nil, lifetime: UInt64 = 3600, key: RSAPrivateKey? = nil
  ) throws -> HTTPRequest {
    let credentials = fixture.mock.credentials
    let issuedAt = iat ?? fixture.now
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", alg)
    header.endObject()
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", iss ?? credentials.serviceAccountEmail)
    claims.member("scope", scope ?? "https://www.googleapis.com/auth/firebase.messaging")
    claims.member("aud", aud ?? fixture.mock.url(of: .oauth) + "/token")
    claims.member("iat", issuedAt)
    claims.member("exp", issuedAt + lifetime)
    claims.endObject()
    let input = JWT.signingInput(header: header.bytes, claims: claims.bytes)
    let assertion = JWT.join(
      signingInput: input, signature: try (key ?? credentials.serviceAccountKey).sign(input))
    return form("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
  }

  private func form(_ body: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: "/token", authority: fixture.mock.authority(of: .oauth), scheme: "https",
      fields: [HTTPField("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
  }

  private func error(_ request: HTTPRequest) async throws -> String? {
    let response = try await client.send(request).get()
    #expect(response.status >= 400 && response.status < 500)
    return response.json?["error"]?.stringValue
  }

  @Test func issuesTokens() async throws {
    let request = try FCMTokenExchange.request(for: fixture.account, now: fixture.now)
    let first = try await client.send(request).get()
    #expect(first.status == 200)
    #expect(first.json?["expires_in"]?.uint64Value == 1234)
    #expect(first.json?["token_type"]?.stringValue == "Bearer")
    let second = try await client.send(request).get()
    #expect(first.json?["access_token"] != second.json?["access_token"])
    #expect(fixture.mock.counters(of: .oauth).accepted == 2)
    #expect(fixture.mock.counters(of: .oauth).requests == 2)
    #expect(fixture.mock.deliveryCount == 0)
  }

  @Test func takesTheTestsOwnAssertion() async throws {
    #expect(await client.send(try request()).status == 200)
  }

  @Test func refusesAssertions() async throws {
    #expect(try await error(request(alg: "ES256")) == "invalid_grant")
    #expect(try await error(request(iss: "other@example.com")) == "invalid_grant")
    #expect(try await error(request(scope: "https://www.googleapis.com/auth/drive")) == "invalid_scope")
    #expect(try await error(request(aud: "https://oauth2.googleapis.com/token")) == "invalid_grant")
    #expect(try await error(request(iat: fixture.now + 600)) == "invalid_grant")
    #expect(try await error(request(iat: fixture.now - 7200)) == "invalid_grant")
    #expect(try await error(request(lifetime: 3601)) == "invalid_grant")
    #expect(try await error(request(key: RSAPrivateKey.generate())) == "invalid_grant")
    #expect(fixture.mock.counters(of: .oauth).refusals == ["invalid_grant": 7, "invalid_scope": 1])
    #expect(fixture.mock.counters(of: .oauth).accepted == 0)
  }

  @Test func refusesForms() async throws {
    #expect(try await error(form("grant_type=password&assertion=x")) == "unsupported_grant_type")
    #expect(try await error(form("assertion=x")) == "invalid_request")
    #expect(try await error(form("grant_type=%zz")) == "invalid_request")
    #expect(
      try await error(form("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=x"))
        == "invalid_grant")
    var json = try request()
    json.fields.set("content-type", "application/json")
    #expect(try await error(json) == "invalid_request")
    var get = try request()
    get.method = "GET"
    #expect(await client.send(get).status == 405)
    var elsewhere = try request()
    elsewhere.path = "/other"
    #expect(await client.send(elsewhere).status == 404)
  }
}
