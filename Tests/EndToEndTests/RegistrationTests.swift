import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct RegistrationTests {
  private static let project = "2ca7a1d1e6ff4cb2a6bf0b7a6d5b2a11"

  @Test func theIOSSDKRegistersAndUnregisters() throws {
    let appliance = try Appliance()
    let wallet = try MockWallet()
    let token = Appliance.apnsToken()
    let client = appliance.client()
    let now = WallClock.seconds()
    for sandbox in [false, true] {
      let request = try wallet.iosRegistration(
        projectID: Self.project, deviceToken: token, sandbox: sandbox, audience: MockConfiguration.publicURL,
        now: now)
      let response = try client.send(request)
      #expect(response.status == 200)
      // The SDK looks for this word besides the status.
      #expect(response.isSuccess)
    }
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.gateway.deliveries.map(\.service) == [.apnsSandbox])
    let deletion = try client.send(
      wallet.iosDeletion(projectID: Self.project, audience: MockConfiguration.publicURL, now: now))
    #expect(deletion.status == 200)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).isSuccess)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func theAndroidSDKRegistersAndUnregisters() throws {
    let appliance = try Appliance()
    let wallet = try MockWallet()
    let client = appliance.client()
    let registration = try client.send(
      wallet.androidRegistration(projectID: Self.project, deviceToken: Appliance.fcmToken()))
    #expect(registration.status == 200)
    #expect(registration.isSuccess)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let deletion = try client.send(wallet.androidDeletion(projectID: Self.project))
    #expect(deletion.status == 200)
    #expect(deletion.isSuccess)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aForeignTokenDoesNotRegister() throws {
    let appliance = try Appliance()
    let wallet = try MockWallet()
    let client = appliance.client()
    let now = WallClock.seconds()
    var request = try wallet.iosRegistration(
      projectID: Self.project, deviceToken: Appliance.apnsToken(), audience: "https://elsewhere.example",
      now: now)
    #expect(try client.send(request).status == 401)
    let other = try MockWallet().token(audience: MockConfiguration.publicURL, now: now)
    request.fields = [("Content-Type", "application/json"), ("Authorization", other)]
    let response = try client.send(request)
    #expect(response.status == 401)
    #expect(response.errorName == "authentication")
    #expect(response.fieldNames == ["authorization"])
    let mine = try wallet.token(audience: MockConfiguration.publicURL + "/", now: now)
    request.fields = [("Content-Type", "application/json"), ("Authorization", "Bearer " + mine)]
    #expect(try client.send(request).status == 200)
  }

  @Test(arguments: ["", "did:key:", "did%3Akey%3A", "did%3akey%3a"])
  func everyFormOfTheClientIDIsTheSameClient(prefix: String) throws {
    let appliance = try Appliance()
    let wallet = try MockWallet()
    let token = Appliance.apnsToken()
    let bodyPrefix = prefix.isEmpty ? "" : "did:key:"
    #expect(try appliance.register(bodyPrefix + wallet.clientID, token: token).status == 200)
    for (index, form) in ["", "did:key:", "did%3Akey%3A"].enumerated() {
      #expect(try appliance.push(form + wallet.clientID, Appliance.raw("\(index)")).status == 202)
    }
    #expect(appliance.gateway.deliveryCount == 3)
    let deletion = try appliance.client().send("DELETE", "/clients/\(prefix)\(wallet.clientID)")
    #expect(deletion.status == 200)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("gone")).isSuccess)
    #expect(appliance.gateway.deliveryCount == 3)
  }

  @Test func theNewestRegistrationWinsBothWays() throws {
    let appliance = try Appliance()
    let (a, b) = (try MockWallet().clientID, try MockWallet().clientID)
    let (t1, t2) = (Appliance.apnsToken(), Appliance.apnsToken())
    #expect(try appliance.register(a, token: t1).status == 200)
    #expect(try appliance.register(b, token: t2).status == 200)
    // Both at once: A takes B's token and gives up its own.
    #expect(try appliance.register(a, token: t2).status == 200)
    #expect(try appliance.push(a, Appliance.raw("1")).status == 202)
    #expect(try appliance.push(b, Appliance.raw("2")).isSuccess)
    #expect(appliance.gateway.deliveries.map(\.deviceToken) == [t2])
    // T1 is free again.
    #expect(try appliance.register(b, token: t1).status == 200)
    #expect(try appliance.push(b, Appliance.raw("3")).status == 202)
    // The same client with a new token and another kind.
    let t3 = Appliance.fcmToken()
    #expect(try appliance.register(a, type: "FCM", token: t3).status == 200)
    #expect(try appliance.push(a, Appliance.raw("4")).status == 202)
    #expect(appliance.gateway.deliveries.map(\.deviceToken) == [t2, t1, t3])
  }

  @Test func aHundredRegistrationsOfOneClientAtOnceLeaveOneRow() throws {
    let appliance = try Appliance()
    let client = try MockWallet().clientID
    let tokens = (0..<100).map { _ in Appliance.apnsToken() }
    let statuses = try Parallel.map(100) { index in
      try appliance.register(client, token: tokens[index]).status
    }
    #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
    #expect(try appliance.registrations() == 1)
    #expect(try appliance.push(client, Appliance.raw("1")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aHundredRegistrationsOfOneTokenAtOnceLeaveOneRow() throws {
    let appliance = try Appliance()
    let token = Appliance.apnsToken()
    let clients = try (0..<100).map { _ in try MockWallet().clientID }
    let statuses = try Parallel.map(100) { index in
      try appliance.register(clients[index], token: token).status
    }
    #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
    #expect(try appliance.registrations() == 1)
    for client in clients { #expect(try appliance.push(client, Appliance.raw("1")).isSuccess) }
    #expect(appliance.gateway.deliveryCount == 1)
  }

  @Test func aKillRightAfterTheAnswerLosesNothing() throws {
    let appliance = try Appliance()
    var clients: [String] = []
    for round in 0..<5 {
      let client = appliance.client()
      for _ in 0..<10 {
        let id = try MockWallet().clientID
        #expect(try appliance.register(id, token: Appliance.apnsToken(), over: client).status == 200)
        clients.append(id)
      }
      if round % 2 == 1, let last = clients.popLast() {
        #expect(try client.send("DELETE", "/clients/\(last)").status == 200)
      }
      #expect(appliance.end(9) == 128 + 9)
      try appliance.restart()
      #expect(try appliance.registrations() == clients.count)
    }
    for client in clients { #expect(try appliance.push(client, Appliance.raw("1")).status == 202) }
    #expect(appliance.gateway.deliveryCount == clients.count)
  }

  @Test func onlyListedProjectsWhenThereIsAList() throws {
    let appliance = try Appliance { $0.more = "[clients]\nproject_ids = [\"\(Self.project)\"]" }
    let wallet = try MockWallet()
    let client = appliance.client()
    let listed = wallet.androidRegistration(
      projectID: Self.project, deviceToken: Appliance.fcmToken())
    #expect(try client.send(listed).status == 200)
    let unlisted = wallet.androidRegistration(projectID: "other", deviceToken: Appliance.fcmToken())
    let response = try client.send(unlisted)
    #expect(response.status == 404)
    #expect(response.errorName == "unknown_project")
    let body = Appliance.raw("1")
    let push = try client.send(
      "POST", "/\(Self.project)/clients/\(wallet.clientID)",
      fields: appliance.relay.pushFields(body, timestamp: WallClock.seconds()), body: body)
    #expect(push.status == 202)
  }
}

extension Appliance {
  /// Registrations in the store, as the server counts them.
  func registrations() throws -> Int? {
    let active = try client().send("GET", "/status").json?["registrations"]?["active"]?.objectValue
    return active?.members.reduce(0) { $0 + Int(clamping: $1.value.uint64Value ?? 0) }
  }
}
