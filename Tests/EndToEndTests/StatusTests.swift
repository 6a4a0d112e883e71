import EventLoop
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(3))) struct StatusTests {
  @Test func statusCountsAndNamesTheGatewaysStates() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    _ = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let status = try appliance.client().send("GET", "/status")
    #expect(status.status == 200)
    #expect(status.json?["push_url"]?.stringValue == MockConfiguration.publicURL)
    #expect(status.json?["gateways"]?["apns"]?.stringValue == "ok")
    #expect(status.json?["gateways"]?["fcm"]?.stringValue == "unused")
    #expect(status.json?["registrations"]?["active"]?["apns"]?.uint64Value == 1)
    #expect(status.json?["registrations"]?["active"]?["fcm"]?.uint64Value == 1)
  }

  @Test func metricsCountPushesByResult() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 200)
    let metrics = try appliance.client().send("GET", "/metrics").text
    #expect(metrics.contains(#"pushbox_pushes_total{result="accepted"} 1"#))
    #expect(metrics.contains(#"pushbox_pushes_total{result="duplicate"} 1"#))
    #expect(metrics.contains(#"pushbox_registrations_total{result="created"} 1"#))
    #expect(!metrics.contains(wallet.clientID))
  }

  @Test func theStartPageIsInTheBinaryAndAllowsNothingFromElsewhere() throws {
    let appliance = try Appliance { $0.publicURL = "http://localhost/push" }
    let client = appliance.client()
    for base in ["/", "/push/"] {
      let page = try client.send("GET", base)
      #expect(page.status == 200)
      #expect(page.field("content-type") == "text/html; charset=utf-8")
      #expect(page.field("content-security-policy")?.hasPrefix("default-src 'none'") == true)
      #expect(!page.text.contains("https://"))
      for name in ["style.css", "app.js", "favicon.svg", "status"] {
        #expect(page.text.contains(name))
        #expect(try client.send("GET", base + name).status == 200, "\(base)\(name)")
      }
    }
    let module = try client.send("GET", "/views/login.js")
    #expect(module.field("content-type") == "text/javascript; charset=utf-8")
    let tag = try #require(module.field("etag"))
    let again = try client.send("GET", "/views/login.js", fields: [("if-none-match", tag)])
    #expect(again.status == 304)
    #expect(again.body.isEmpty)
    let redirect = try client.send("GET", "/push")
    #expect(redirect.status == 308)
    #expect(redirect.field("location") == "/push/")
  }
}
