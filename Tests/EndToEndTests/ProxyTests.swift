import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ProxyTests {
  @Test func gatewaysAreReachedThroughTheProxy() throws {
    let proxy = try ConnectProxy(credentials: "us er:p:w")
    let appliance = try Appliance {
      $0.more += "\n[outbound]\nproxy = \"http://us%20er:p%3Aw@127.0.0.1:\(proxy.port)\""
    }
    let iphone = try appliance.registered()
    let android = try appliance.registered(type: "fcm", token: Appliance.fcmToken())
    for wallet in [iphone, android] {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    }
    #expect(appliance.gateway.deliveryCount == 2)
    let services: [MockGateway.Service] = [.apnsProduction, .oauth, .fcm]
    #expect(
      proxy.requests == services.map { "CONNECT \(appliance.gateway.authority(of: $0)) HTTP/1.1" })
  }

  @Test func aProxyThatRefusesIsNamedWithoutItsPassword() throws {
    let proxy = try ConnectProxy(credentials: "user:right")
    let appliance = try Appliance {
      $0.push = "deadline_ms = 8000"
      $0.more += "\n[outbound]\nproxy = \"http://user:WRONGSECRET@127.0.0.1:\(proxy.port)\""
    }
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 502)
    #expect(appliance.gateway.deliveryCount == 0)
    #expect(appliance.waitForLog("outbound.proxy"), "\(appliance.log)")
    #expect(!appliance.log.contains("WRONGSECRET"))
  }
}
