import Bytes
import Crypto
import EventLoop
import JSON
import MockGateway
import MockRelay

/// The demo's steps, each with what must come of it.
struct DemoScript {
  private let stage: DemoStage
  private let transcript: DemoTranscript
  private let phone: MockWallet
  private let beta: MockWallet
  private let android: MockWallet
  private let phoneToken: String
  private let betaToken: String
  private let androidToken: String
  private static let project = "demo"

  init(stage: DemoStage, transcript: DemoTranscript) throws {
    self.stage = stage
    self.transcript = transcript
    phone = try MockWallet()
    beta = try MockWallet()
    android = try MockWallet()
    phoneToken = Hex.encode(try Random.bytes(32))
    betaToken = Hex.encode(try Random.bytes(32))
    androidToken = "demo:" + Base64.encode(try Random.bytes(96), .url)
  }

  func play() throws {
    try register()
    try pushRaw()
    try pushLegacy()
    try refuse()
    try buryDeadToken()
    checkConnections()
  }

  // MARK: Chapters

  private func register() throws {
    transcript.chapter("Devices register, with the requests of the WalletConnect SDKs")
    let now = WallClock.seconds()
    let audience = MockConfiguration.publicURL
    try answer(
      "iPhone: POST /demo/clients, type apns, signed token",
      phone.iosRegistration(
        projectID: Self.project, deviceToken: phoneToken, audience: audience, now: now), 200)
    try answer(
      "iPhone with a development build: type apns-sandbox, legacy messages",
      beta.iosRegistration(
        projectID: Self.project, deviceToken: betaToken, sandbox: true, alwaysRaw: false, audience: audience,
        now: now), 200)
    try answer(
      "Android phone: POST /demo/clients?auth=..., type fcm",
      android.androidRegistration(projectID: Self.project, deviceToken: androidToken), 200)
  }

  private func pushRaw() throws {
    transcript.chapter("The relay pushes; each body is signed with its Ed25519 key")
    let body = MockRelay.rawBody(topic: "session-1", tag: 1108, message: "AXnvIZY9hRnr")
    try push("raw push to the iPhone", phone, body, status: 202, delivery: .apnsProduction)
    try push("the same message to the Android phone", android, body, status: 202, delivery: .fcm)
    try push("the same push to the iPhone again: already delivered", phone, body, status: 200, delivery: nil)
  }

  private func pushLegacy() throws {
    let encrypted = MockRelay.legacyBody(
      id: "3a4a1c5e-0001", topic: "session-2", flags: 17, blob: "AU7rF4cFRaXE")
    try push("legacy push, encrypted", beta, encrypted, status: 202, delivery: .apnsSandbox)
    let blob = MockRelay.plainBlob(title: "Signature required", body: "You have a message to sign")
    let plain = MockRelay.legacyBody(id: "3a4a1c5e-0002", topic: "session-2", flags: 16, blob: blob)
    try push("legacy push, clear text", beta, plain, status: 202, delivery: .apnsSandbox)
  }

  private func refuse() throws {
    transcript.chapter("What must not get through does not")
    let body = MockRelay.rawBody(topic: "session-1", tag: 1108, message: "forged")
    let stranger = try MockRelay()
    try push("a push signed by somebody else", phone, body, by: stranger, status: 401, delivery: nil)
    let tampered = MockRelay.rawBody(topic: "session-1", tag: 1108, message: "tampered")
    let fields = try stage.relay.pushFields(body, timestamp: WallClock.seconds())
    let response = try stage.client.send("POST", path(phone), fields: fields, body: tampered)
    transcript.step("a push whose body was changed after signing", response, expected: response.status == 401)
    let unsigned = try stage.client.send(
      "POST", path(phone), fields: [("content-type", "application/json")], body: body)
    transcript.step("an unsigned push", unsigned, expected: unsigned.status == 401)
    try push("a push to a client that never registered", MockWallet(), body, status: 202, delivery: nil)
    let broken = Array("{\"topic\":\"session-1\",".utf8)
    try push("a signed body that is no JSON", phone, broken, status: 400, delivery: nil)
    let incomplete = Array(#"{"topic":"session-1","tag":"1108","message":"m"}"#.utf8)
    try push("a signed body with a field of the wrong type", phone, incomplete, status: 400, delivery: nil)
  }

  private func buryDeadToken() throws {
    transcript.chapter("A device is gone")
    stage.gateway.next(
      1, .apns(.unregistered, timestamp: WallClock.milliseconds()), at: .apnsProduction)
    let first = MockRelay.rawBody(topic: "session-1", tag: 1108, message: "after uninstalling")
    try push("APNs answers 410 Unregistered: the client is dropped", phone, first, status: 202, delivery: nil)
    let second = MockRelay.rawBody(topic: "session-1", tag: 1108, message: "and once more")
    let before = stage.gateway.counters(of: .apnsProduction).requests
    try push("the next push never reaches APNs", phone, second, status: 202, delivery: nil)
    transcript.check(
      "APNs saw no further request", stage.gateway.counters(of: .apnsProduction).requests == before)
  }

  private func checkConnections() {
    transcript.chapter("Connections")
    for service in [MockGateway.Service.apnsProduction, .apnsSandbox, .fcm] {
      let counters = stage.gateway.counters(of: service)
      transcript.check(
        "\(service): \(counters.requests) requests over \(counters.connectionsOpened) connection(s)",
        counters.connectionsOpened >= 1 && counters.connectionsOpened <= Server.coreCount)
    }
    transcript.check(
      "one access token was fetched from OAuth", stage.gateway.counters(of: .oauth).accepted == 1)
  }

  // MARK: Steps

  private func path(_ wallet: MockWallet) -> String { "/clients/\(wallet.clientID)" }

  private func answer(_ what: String, _ request: MockWallet.Request, _ status: Int) throws {
    let response = try stage.client.send(request)
    let isSuccess = (try? JSON.parse(response.body))?["status"]?.stringValue == "SUCCESS"
    transcript.step(what, response, expected: response.status == status && isSuccess)
  }

  private func push(
    _ what: String, _ wallet: MockWallet, _ body: [UInt8], by relay: MockRelay? = nil, status: Int,
    delivery service: MockGateway.Service?
  ) throws {
    let before = stage.gateway.deliveryCount
    let fields = try (relay ?? stage.relay).pushFields(body, timestamp: WallClock.seconds())
    let response = try stage.client.send("POST", path(wallet), fields: fields, body: body)
    let count = stage.gateway.deliveryCount - before
    let last = count > 0 ? stage.gateway.deliveries.last : nil
    let isRight = count == (service == nil ? 0 : 1) && last?.service == service
    transcript.step(what, response, expected: response.status == status && isRight)
    if let last {
      transcript.delivered(last)
    } else {
      transcript.nothingDelivered()
    }
  }
}
