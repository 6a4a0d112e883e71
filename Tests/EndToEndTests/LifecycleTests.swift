import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct LifecycleTests {
  @Test func theDemoSucceeds() throws {
    let demo = try ChildProcess("pushbox", ["demo"])
    #expect(demo.wait() == 0)
    #expect(demo.waitForOutput("steps went as they should."), "\(demo.text)")
  }

  @Test func withoutARelayKeyItDoesNotStartAndSaysWhereToGetOne() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "config.toml",
      """
      [server]
      public_url = "http://localhost"
      [apns]
      key_file = "k.p8"
      key_id = "ABCDEFGHIJ"
      team_id = "ABCDEFGHIJ"
      topic = "com.example.wallet"
      """)
    let process = try ChildProcess("pushbox", ["serve", "--config", folder.path + "/config.toml"])
    #expect(process.wait() == 2)
    #expect(process.waitForOutput("relay.public_key"), "\(process.text)")
    #expect(process.text.contains("/public-key"), "\(process.text)")
  }

  @Test func checkNamesEveryProblemWithItsPlace() throws {
    let folder = try TemporaryFolder()
    try folder.write("config.toml", "[server]\nlisten = 1\n[relai]\n")
    let process = try ChildProcess("pushbox", ["check", "--config", folder.path + "/config.toml"])
    #expect(process.wait() == 2)
    #expect(process.waitForOutput("config.toml:3:2"), "\(process.text)")
    #expect(process.text.contains("config.toml:2:10"), "\(process.text)")
  }

  @Test func aSecondServerOnTheSameStoreIsRefused() throws {
    let appliance = try Appliance()
    let second = try ChildProcess("pushbox", ["serve", "--config", appliance.folder.path + "/config.toml"])
    #expect(second.wait() == 1)
    #expect(second.waitForOutput("store.path"), "\(second.text)")
    #expect(try appliance.client().send("GET", "/health").status == 200)
  }

  @Test func sigtermFinishesThePushesUnderWay() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    appliance.gateway.always(.serve.after(.milliseconds(500)), at: .apnsProduction)
    let statuses = try Parallel.map(5) { index in
      if index == 4 {
        // Once the others' pushes are at the gateway.
        while appliance.gateway.counters(of: .apnsProduction).requests < 4 {}
        appliance.signal(15)
        return Int(appliance.waitForEnd())
      }
      return try appliance.push(wallet.clientID, Appliance.raw("\(index)")).status
    }
    #expect(statuses == [202, 202, 202, 202, 0])
    #expect(appliance.gateway.deliveryCount == 4)
  }

  @Test func deliveredPushesAreRememberedOverARestart() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.end(15) == 0)
    try appliance.restart()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 200)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aCrashLoopPresentsOneProviderToken() throws {
    let appliance = try Appliance()
    // Apple: no new token within 20 minutes.
    appliance.gateway.setLimitsTokenUpdates(true)
    let wallet = try appliance.registered()
    for run in 0..<5 {
      if run > 0 { try appliance.restart() }
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(run)")).status == 202)
      // The store writes in order: once this is on the disk, so is the token.
      _ = try appliance.registered()
      _ = appliance.end(9)
    }
    let tokens = Set(appliance.gateway.deliveries.map { $0.fields.first("authorization") })
    #expect(tokens.count == 1)
    #expect(appliance.gateway.deliveryCount == 5)
    #expect(appliance.gateway.counters(of: .apnsProduction).refusals.isEmpty)
    let token = try #require(tokens.first ?? nil)
    #expect(!appliance.log.contains(token.dropFirst("bearer ".count)))
  }

  @Test func aGatewayThatComesBackIsUsedWithoutARestart() throws {
    let appliance = try Appliance { $0.push = "deadline_ms = 8000" }
    let wallet = try appliance.registered()
    appliance.gateway.stopListening(at: .apnsProduction)
    let rendezvous = Rendezvous<Int>()
    let thread = try SystemThread(name: "push") {
      rendezvous.give((try? appliance.push(wallet.clientID, Appliance.raw("1")).status) ?? 0)
    }
    thread.detach()
    // The first attempts are refused: the log of a retry is not needed, the port stays closed until here.
    #expect(try appliance.client().send("GET", "/health").status == 200)
    try appliance.gateway.listenAgain(at: .apnsProduction)
    #expect(rendezvous.wait() == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }
}
