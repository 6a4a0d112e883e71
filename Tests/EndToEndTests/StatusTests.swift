import EventLoop
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct StatusTests {
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

  @Test func metricsCanBeForSomeOnly() throws {
    let appliance = try Appliance {
      $0.more += "\n[metrics]\ntoken = \"0123456789abcdef\"\n"
    }
    let client = appliance.client()
    #expect(try client.send("GET", "/metrics").status == 401)
    for field in ["Bearer 0123456789abcdeF", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef"] {
      let refused = try client.send("GET", "/metrics", fields: [("authorization", field)])
      #expect(refused.status == 401, "\(field)")
      #expect(!refused.text.contains("pushbox_"))
    }
    let fields = [(name: "authorization", value: "Bearer 0123456789abcdef")]
    #expect(try client.send("GET", "/metrics", fields: fields).status == 200)
    try appliance.configure { $0.replacing("token = ", with: "allow = [\"127.0.0.0/8\"]\ntoken = ") }
    #expect(appliance.reload(1))
    #expect(try client.send("GET", "/metrics").status == 200)
    try appliance.configure {
      $0.replacing("token = \"0123456789abcdef\"", with: "allow = [\"192.0.2.1\"]")
    }
    #expect(appliance.reload(2))
    #expect(try client.send("GET", "/metrics").status == 403)
  }

  @Test func metricsHaveTheRustServersNamesAndOurs() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let metrics = try appliance.client().send("GET", "/metrics").text
    for line in [
      "received_notifications_total 1", "sent_apns_notifications_total 1", "registered_clients_total 1",
      "# TYPE received_notifications_total counter", "pushbox_build_info{version=",
      #"pushbox_gateway_answers_total{gateway="apns",answer="accepted"} 1"#,
      #"pushbox_push_step_duration_seconds_count{step="verify"} 1"#,
      #"pushbox_gateway_duration_seconds_bucket{gateway="apns",le="+Inf"} 1"#,
      "pushbox_configuration_reload_ok 1", "pushbox_http_connections ",
    ] {
      #expect(metrics.contains(line), "\(line)")
    }
  }

  @Test func withoutAUsableGatewayItIsNotReady() throws {
    let appliance = try Appliance { $0.omitsFCM = true }
    let wallet = try appliance.registered()
    #expect(try appliance.client().send("GET", "/ready").status == 200)
    appliance.gateway.always(.apns(.invalidProviderToken), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 424)
    let ready = try appliance.client().send("GET", "/ready")
    #expect(ready.status == 503)
    #expect(ready.errorName == "no_gateway")
    #expect(try appliance.client().send("GET", "/health").status == 200)
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
