import Crypto
import Gateways
import JSON
import Testing

@Suite struct FCMTokenExchangeTests {
  private func result(_ status: Int, _ body: String, retryAfter: String? = nil) -> FCMTokenExchange.Result {
    FCMTokenExchange.result(status: status, retryAfter: retryAfter, body: Array(body.utf8), now: 0)
  }

  @Test func theAssertionIsWhatGoogleWants() throws {
    let account = try ServiceAccount(json: SampleAccount.json())
    let request = try FCMTokenExchange.request(for: account, now: 1_767_323_045)
    #expect(request.authority == "oauth2.googleapis.com")
    #expect(request.path == "/token")
    #expect(request.fields.first("content-type") == "application/x-www-form-urlencoded")
    let body = String(decoding: request.body, as: UTF8.self)
    let start = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
    #expect(body.hasPrefix(start))
    let parts = try JWT.Parts(compact: body.dropFirst(start.count).utf8)
    #expect(String(decoding: parts.header, as: UTF8.self) == #"{"alg":"RS256","typ":"JWT","kid":"0123abcd"}"#)
    #expect(
      String(decoding: parts.claims, as: UTF8.self)
        == #"{"iss":"push@wallet-1234.iam.gserviceaccount.com","#
        + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
        + #""aud":"https://oauth2.googleapis.com/token","iat":1767323045,"exp":1767326645}"#)
    let publicKey = try #require(try SampleAccount.key?.publicKey())
    #expect(publicKey.verify(signature: parts.signature, message: parts.signingInput))
  }

  @Test func answers() {
    #expect(
      result(200, #"{"access_token":"ya29.c.x...","expires_in":3599,"token_type":"Bearer"}"#)
        == .token("ya29.c.x...", lifetime: 3599))
    #expect(result(200, #"{"access_token":"a"}"#) == .token("a", lifetime: 3600))
    for bad in [
      "", "<html>", "{}", #"{"access_token":""}"#, #"{"access_token":"a\r\nb"}"#, #"{"id_token":"a"}"#,
    ] {
      guard case .failed(.unavailable) = result(200, bad) else {
        Issue.record("\(bad) holds no token")
        return
      }
    }
  }

  @Test func refusals() {
    guard
      case .failed(.rejected(let reason, let advice)) = result(
        400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
    else {
      Issue.record("invalid_grant is a fault of the credentials")
      return
    }
    #expect(reason == "invalid_grant")
    #expect(advice.contains("clock"))
    for body in [
      #"{"error":"invalid_client"}"#, #"{"error":"invalid_scope"}"#, #"{"error":{"code":1}}"#, "<html>",
    ] {
      guard case .failed(.rejected) = result(401, body) else {
        Issue.record("\(body) is a fault of the credentials")
        return
      }
    }
    let date = FCMTokenExchange.result(
      status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8), now: 784_111_777 + 500,
      date: "Sun, 06 Nov 1994 08:49:37 GMT")
    guard case .failed(.rejected(_, let skewed)) = date else {
      Issue.record("invalid_grant is a fault of the credentials")
      return
    }
    #expect(skewed.contains("500 s off"))
    #expect(result(429, "", retryAfter: "9") == .failed(.throttled(retryAfter: 9)))
    #expect(
      result(502, "<html>", retryAfter: "9")
        == .failed(.unavailable(reason: "token endpoint: HTTP 502", retryAfter: 9)))
  }
}
