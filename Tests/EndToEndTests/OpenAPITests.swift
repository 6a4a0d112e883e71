import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The live server against `docs/openapi.yaml`. `scripts/openapi-check.sh` brings schemathesis and runs this; without
/// it the test is skipped, and says so.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct OpenAPITests {
  private static let program: String? = getenv("PUSHBOX_SCHEMATHESIS").map { String(cString: $0) }
  private static let examples = getenv("PUSHBOX_SCHEMATHESIS_EXAMPLES").map { String(cString: $0) } ?? "20"

  private static let isThere: Bool = {
    if program == nil {
      print("OpenAPITests: SKIPPED, scripts/openapi-check.sh compares the server with its description")
    }
    return program != nil
  }()

  @Test(.enabled(if: isThere)) func theServerAnswersAsDescribed() throws {
    let program = try #require(Self.program)
    // So that many logins are not what the test is about.
    let appliance = try Appliance.withAdmin { $0.more += "\n[limits]\nlogins_per_minute = 0\n" }
    // The example of the description.
    #expect(
      try appliance.register(
        "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", token: Appliance.apnsToken()
      ).status == 200)
    let browser = try AdminBrowser(signedInAt: appliance)
    let cookie = try #require(browser.cookie)
    let token = try #require(browser.csrfToken)
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let process = try ChildProcess(
      program,
      [
        "run", root + "/docs/openapi.yaml", "--url", "http://127.0.0.1:\(appliance.port)",
        "--header", "Cookie: \(cookie)", "--header", "X-CSRF-Token: \(token)",
        // A stream has no end, and a logout ends what the others need.
        "--exclude-path", "/admin/api/deliveries/stream", "--exclude-path", "/admin/api/logout",
        "--exclude-path", "/admin/api/login",
        "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,"
          + "response_schema_conformance,response_headers_conformance,negative_data_rejection,"
          + "unsupported_method,ignored_auth",
        // The session comes by the headers above: without its own cookie a request is still signed in.
        "--generation-with-security-parameters", "false", "--max-examples", Self.examples, "--no-color",
        "--generation-database", "none",
      ], environment: ["PATH=/usr/bin:/bin", "HOME=\(appliance.folder.path)", "LC_ALL=C.UTF-8"])
    _ = process.waitForOutput("\u{0}")
    let status = process.wait()
    #expect(status == 0, "\(process.text)")
  }
}
