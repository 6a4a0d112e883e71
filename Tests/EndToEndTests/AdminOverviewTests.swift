import Crypto
import EventLoop
import Glibc
import JSON
import MockRelay
import TestSupport
import Testing

/// What the admin API says of the server as a whole, and of numbers over time.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct AdminOverviewTests {
  @Test func theOverviewShowsTheServer() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    _ = try appliance.register(wallet.clientID, type: "pager", token: "x")
    let browser = try AdminBrowser(signedInAt: appliance)
    let overview = try #require(try browser.get("overview").json)
    #expect(overview["server"]?["workers"]?.uint64Value == 2)
    let gateways = overview["gateways"]?.arrayValue ?? []
    let apns = gateways.first { $0["name"]?.stringValue == "apns" }
    #expect(apns?["state"]?.stringValue == "ok")
    #expect(apns?["since_at"]?.uint64Value ?? 0 > 1_700_000_000_000)
    #expect(apns?["attempts"]?.uint64Value == 1)
    #expect(overview["pushes"]?["total"]?["accepted"]?.uint64Value == 1)
    #expect(overview["registrations"]?["active"]?["apns"]?.uint64Value == 1)
    #expect(overview["registrations"]?["refused"]?[0]?["reason"]?.stringValue == "type")
    #expect(overview["reload"]?["generation"]?.uint64Value == 1)
    #expect(overview["store"]?["level"]?.stringValue == "ok")
    let names = overview["credentials"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(names.contains { $0.hasPrefix("APNs signing key") })
    #expect(overview["history"]?["count"]?.uint64Value == 60)
  }

  @Test func numbersOverTimeShowThePushes() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    for index in 0..<5 { _ = try appliance.push(wallet.clientID, Appliance.raw("\(index)")) }
    let browser = try AdminBrowser(signedInAt: appliance)
    let paths = [
      "range=hour&step_s=1", "range=hour", "range=day", "range=day&step_s=60", "range=month",
      "range=month&step_s=900",
    ]
    for path in paths {
      // The numbers are taken once a second.
      let isThere = try waitUntil {
        let history = try browser.get("metrics/history?" + path).json
        let counts = history?["pushes"]?["accepted"]?.arrayValue?.compactMap { $0.uint64Value } ?? []
        let length = history?["count"]?.uint64Value ?? 0
        return counts.reduce(0, +) == 5 && UInt64(counts.count) == length
      }
      #expect(isThere, "\(path)")
    }
    for path in ["range=year", "", "range=hour&step_s=7", "range=month&step_s=1", "range=hour&range=hour"] {
      #expect(try browser.get("metrics/history?" + path).status == 400, "\(path)")
    }
  }

  /// The longest answers: a minute in thirty days would be 43,200 steps.
  @Test func noAnswerHoldsMoreStepsThanItMay() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    for (path, count) in [("hour&step_s=1", 3600), ("day&step_s=60", 1440), ("month&step_s=900", 2880)] {
      let history = try browser.get("metrics/history?range=" + path).json
      #expect(history?["count"]?.uint64Value == UInt64(count), "\(path)")
      #expect(history?["latency_ms"]?["p50"]?.arrayValue?.count == count, "\(path)")
    }
    let tooMany = try browser.get("metrics/history?range=month&step_s=60")
    #expect(tooMany.status == 400)
    #expect(tooMany.text.contains("900, 3600, 14400 for range=month: an answer holds at most 3600 steps"))
  }

  /// The certificate of `[tls]`, before the page that has an address of its own.
  @Test func theServerCertificateIsShownWithItsNamesIssuerAndEnd() throws {
    let now = Int(WallClock.seconds())
    let authority = try LoopbackCertificateAuthority(validity: (now - 60)..<(now + 86_400 * 90))
    let end = now + 86_400 * 20 + 3600
    let leaf = try authority.issue(names: ["localhost", "127.0.0.1"], validity: (now - 60)..<end)
    let appliance = try Appliance.withAdmin(more: "listen = \"127.0.0.1:0\"\n" + TLSTests.section) {
      settings in
      try TemporaryFolder.write(leaf.certificatePEM, to: settings.folder + "/tls.pem")
      try TemporaryFolder.write(leaf.privateKeyPEM, to: settings.folder + "/tls.key")
    }
    let browser = try AdminBrowser(signedInAt: appliance, port: appliance.adminPort)
    func shown() throws -> JSONValue? {
      try browser.get("overview").json?["credentials"]?.arrayValue?.first {
        $0["key"]?.stringValue == "tls.certificate_file"
      }
    }
    let certificate = try #require(try shown())
    #expect(certificate["names"]?.arrayValue?.compactMap(\.stringValue) == ["localhost", "127.0.0.1"])
    #expect(certificate["issuer"]?.stringValue?.isEmpty == false)
    #expect(certificate["expires_at"]?.uint64Value == UInt64(end) * 1000)
    #expect(certificate["days_left"]?.uint64Value == 20)
    #expect(certificate["level"]?.stringValue == "warning")
    // Renewed, it is taken into use by itself.
    let renewed = try authority.issue(names: ["localhost"], validity: (now - 60)..<(now + 86_400 * 60))
    try TemporaryFolder.write(renewed.certificatePEM, to: appliance.folder.path + "/tls.pem")
    try TemporaryFolder.write(renewed.privateKeyPEM, to: appliance.folder.path + "/tls.key")
    #expect(appliance.waitForLog("certificate reloaded"))
    #expect(try shown()?["level"]?.stringValue == "ok")
  }

  @Test func aMinuteOutlivesTheProcess() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let browser = try AdminBrowser(signedInAt: appliance)
    let isCounted = try waitUntil {
      try browser.get("metrics/history?range=month").json?["pushes"]?["accepted"] != nil
    }
    #expect(isCounted)
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    let history = try AdminBrowser(signedInAt: appliance).get("metrics/history?range=month").json
    let counts = history?["pushes"]?["accepted"]?.arrayValue?.compactMap { $0.uint64Value } ?? []
    #expect(counts.reduce(0, +) == 1)
  }
}
