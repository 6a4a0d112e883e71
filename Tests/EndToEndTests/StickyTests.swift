import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The default of `clients.auth` is "sticky": what each SDK does keeps working, and a client that has proved
/// itself cannot be taken over by who has no token.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct StickyTests {
  private let audience = MockConfiguration.publicURL

  private func ios(_ wallet: MockWallet, _ token: String = Appliance.apnsToken()) throws -> MockWallet.Request
  {
    try wallet.iosRegistration(
      projectID: "p", deviceToken: token, audience: audience, now: WallClock.seconds())
  }

  @Test func anAndroidWalletNeverSendsATokenAndNeedsNone() throws {
    let appliance = try Appliance()
    let client = appliance.client()
    let wallet = try MockWallet()
    for _ in 0..<2 {
      let request = wallet.androidRegistration(projectID: "p", deviceToken: Appliance.fcmToken())
      #expect(try client.send(request).isSuccess)
    }
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    #expect(try client.send(wallet.androidDeletion(projectID: "p")).isSuccess)
  }

  @Test func anIOSWalletRegistersRenewsAndUnregisters() throws {
    let appliance = try Appliance()
    let client = appliance.client()
    let wallet = try MockWallet()
    for _ in 0..<2 { #expect(try client.send(try ios(wallet)).isSuccess) }
    let deletion = try wallet.iosDeletion(projectID: "p", audience: audience, now: WallClock.seconds())
    #expect(try client.send(deletion).isSuccess)
    // Deleting what is gone is no error, as SDKs expect.
    #expect(try client.send(deletion).isSuccess)
  }

  /// First without a token, then with one, as after an update of the SDK.
  @Test func aWalletMayBeginToProveItself() throws {
    let appliance = try Appliance()
    let client = appliance.client()
    let wallet = try MockWallet()
    #expect(try appliance.register(wallet.clientID, token: Appliance.apnsToken(), over: client).isSuccess)
    #expect(try client.send(try ios(wallet)).isSuccess)
    let bare = try appliance.register(wallet.clientID, token: Appliance.apnsToken(), over: client)
    #expect(bare.status == 401)
    #expect(bare.errorName == "authentication")
    #expect(try client.send(try ios(wallet)).isSuccess)
  }

  @Test func whoHasNoTokenCannotTakeOverOrDelete() throws {
    let appliance = try Appliance()
    let client = appliance.client()
    let wallet = try MockWallet()
    let device = Appliance.apnsToken()
    #expect(try client.send(try ios(wallet, device)).isSuccess)
    let thief = Appliance.apnsToken()
    #expect(try appliance.register(wallet.clientID, token: thief, over: client).status == 401)
    #expect(try appliance.register("did:key:" + wallet.clientID, token: thief, over: client).status == 401)
    #expect(try client.send("DELETE", "/clients/\(wallet.clientID)").status == 401)
    #expect(try client.send("DELETE", "/clients/did%3Akey%3A\(wallet.clientID)").status == 401)
    var request = try ios(try MockWallet(), thief)
    request.body = MockWallet.body(clientID: wallet.clientID, type: "apns", token: thief, alwaysRaw: true)
    #expect(try client.send(request).status == 401)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("m")).status == 202)
    #expect(appliance.gateway.deliveries.map(\.deviceToken) == [device])
  }
}
